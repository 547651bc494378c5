# Warning, determinism and sanitizer flags, applied to our own targets only (nadi_flags).
add_library(nadi_flags INTERFACE)
target_compile_definitions(nadi_flags INTERFACE _GNU_SOURCE)
target_compile_options(nadi_flags INTERFACE
  -ffp-contract=off -fno-common
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wcast-qual
  -Wcast-align -Wpointer-arith -Wformat=2 -Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes
  -Wold-style-definition -Wredundant-decls -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough
  -Wnull-dereference -Wfloat-equal)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(nadi_flags INTERFACE
    -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wjump-misses-init)
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
  target_compile_options(nadi_flags INTERFACE
    -Wcomma -Wunreachable-code -Wmissing-variable-declarations)
endif()
if(NADI_WERROR OR (CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION MATCHES "^12\\."))
  target_compile_options(nadi_flags INTERFACE -Werror)
endif()
if(NADI_ASAN)
  add_compile_options(-fsanitize=address,undefined,float-cast-overflow -fno-omit-frame-pointer)
  # Undefined behaviour is an illegal instruction, which AddressSanitizer tells with file, line and stack: the texts of its
  # own library would be 20 MB of data, through which the search for leaks goes at each end of a program.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fsanitize-undefined-trap-on-error)
  else()
    add_compile_options(-fsanitize-trap=undefined,float-cast-overflow)
  endif()
  add_link_options(-fsanitize=address)
  add_library(nadi_sanitizer OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/sanitizer.c)
  # For programs that tests start some thousand times: so linked, the sanitizer takes a fifth of the time to start and end.
  add_library(nadi_sanitizer_quick OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/leak_pages.c
    ${CMAKE_SOURCE_DIR}/tests/support/sanitizer_memory.c)
  target_compile_options(nadi_sanitizer_quick PRIVATE -fno-sanitize=all)
  target_link_libraries(nadi_sanitizer_quick PRIVATE nadi_flags)
endif()
# nadi_sanitize(TARGET [QUICK]): its programs' own part of the sanitizers.
function(nadi_sanitize target)
  if(NOT NADI_ASAN)
    return()
  endif()
  target_link_libraries(${target} PRIVATE nadi_sanitizer)
  if(ARGN AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_link_libraries(${target} PRIVATE nadi_sanitizer_quick)
    set(cache PNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_4AP32EEEEE)
    target_link_options(${target} PRIVATE -no-pie -static-libasan -Wl,--wrap=dl_iterate_phdr
      -Wl,--wrap=_ZN11__sanitizer13InternalAllocEm${cache}m -Wl,--wrap=_ZN11__sanitizer14InternalCallocEmm${cache}
      -Wl,--wrap=_ZN11__sanitizer12InternalFreeEPv${cache})
  endif()
endfunction()
if(NADI_TSAN)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(NADI_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()
if(NADI_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# nadi_optimise(LEVEL FILE...): these instead of -Og, in builds that are optimised at all; sanitized ones take -O1.
function(nadi_optimise level)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS
    $<$<CONFIG:Release>:${level}> $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

# gold links a test program in half the time of GNU ld, and is part of Debian's binutils.
find_program(NADI_GOLD NAMES ld.gold)
mark_as_advanced(NADI_GOLD)
if(NADI_GOLD AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=gold)
endif()

# cmake --install BUILD --prefix PREFIX: the program, which holds its catalogue and the report's page; the reference's
# names in libexec/nadi; documentation and examples. What programs in C need: include/CMakeLists.txt.
include(GNUInstallDirs)
add_custom_target(installed DEPENDS nadi) # all that is installed, without tests and benchmarks
if(TARGET nadi_shared)
  add_dependencies(installed nadi_shared)
endif()
install(TARGETS nadi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
file(RELATIVE_PATH NADI_FROM_LIBEXEC /${CMAKE_INSTALL_LIBEXECDIR}/nadi /${CMAKE_INSTALL_BINDIR}/nadi)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/gen/libexec)
foreach(name AstraSim_Analytical_Congestion_Unaware AstraSim_Analytical_Congestion_Aware)
  file(CREATE_LINK ${NADI_FROM_LIBEXEC} ${CMAKE_BINARY_DIR}/gen/libexec/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/gen/libexec/${name} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/nadi)
endforeach()
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

# cmake -D OUT=file -D HEADERS=include/nadi -P exports.cmake
# Writes the linker's list of what the shared library exports: the functions that the headers name.
set(names "")
file(GLOB headers ${HEADERS}/*.h)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX MATCHALL "nadi_[a-z0-9_]+\\(" found "${text}")
  list(APPEND names ${found})
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
string(REPLACE "(" ";\n        " names "${names}")
string(REPLACE "        ;" "        " names "${names}")
file(WRITE ${OUT} "{\n    global:\n        ${names}\n    local: *;\n};\n")

# cmake -D OUT=file.c -D ROOT=examples -P embed.cmake
# Writes a C table of every *.yaml in ROOT's folders models/, devices/, clusters/, platforms/, links/, catalogues/,
# pool/, fred/ and frameworks/, and of every *.csv in recipes/ and evidence/, so that the program knows them by name wherever it is installed. Declared in src/format/embedded.h.
set(tables "")
set(rows "")
set(number 0)
foreach(folder models devices clusters platforms links catalogues pool fred frameworks recipes evidence)
  file(GLOB files ${ROOT}/${folder}/*.yaml ${ROOT}/${folder}/*.csv)
  list(SORT files)
  foreach(path ${files})
    get_filename_component(name ${path} NAME_WLE)
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes
           "${bytes}")
    string(APPEND tables "static const unsigned char text_${number}[] = {\n${bytes}0x00};\n")
    string(APPEND rows
           "    {\"${folder}\", \"${name}\", text_${number}, sizeof(text_${number}) - 1},\n")
    math(EXPR number "${number} + 1")
  endforeach()
endforeach()
file(WRITE ${OUT}.new
     "/* Made by cmake/embed.cmake from examples/. */\n#include \"format/embedded.h\"\n\n${tables}\n"
     "const struct nadi_embedded nadi_embedded_files[] = {\n${rows}    {NULL, NULL, NULL, 0},\n};\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
file(REMOVE ${OUT}.new)
file(TOUCH ${OUT})

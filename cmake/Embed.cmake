# Texts of the tree as C arrays. A changed text configures the build anew.

# The bytes of a file, as "0x3c,0x21,…" in lines of twelve.
function(dp2dp_bytes_of file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes
         "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

# Every schemas/<name>.json becomes a row of a table that src/schema/built_in.c includes.
function(dp2dp_embed_schemas header)
  file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schemas/*.json)
  set(text "")
  foreach(schema ${schemas})
    get_filename_component(name ${schema} NAME_WE)
    dp2dp_bytes_of(${schema} bytes)
    string(APPEND text "{\"${name}\", (const char[]) {\n${bytes}0}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)
endfunction()

# The bytes of one file and a 0, as the values of an array.
function(dp2dp_embed_file file header)
  dp2dp_bytes_of(${file} bytes)
  file(CONFIGURE OUTPUT ${header} CONTENT "${bytes}0\n" @ONLY)
endfunction()

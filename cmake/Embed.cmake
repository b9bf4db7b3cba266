# Texts of the tree as C arrays: every schemas/<name>.json becomes a row of a table that
# src/schema/built_in.c includes. A changed schema configures the build anew.
function(dp2dp_embed_schemas header)
  file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schemas/*.json)
  set(text "")
  foreach(schema ${schemas})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
    get_filename_component(name ${schema} NAME_WE)
    file(READ ${schema} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes
           "${bytes}")
    string(APPEND text "{\"${name}\", (const char[]) {\n${bytes}0}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)
endfunction()

# A fuzz target is a file: fuzz/<name>.c with LLVMFuzzerTestOneInput, seeds in fuzz/corpus/<name>/.
# Every build runs the saved corpus as the ordinary test fuzz/<name>; DP2DP_FUZZ adds the fuzzers.
# What a target needs of the program is in DP2DP_FUZZ_OF_<name>.
set(DP2DP_FUZZ_OF_source ${PROJECT_SOURCE_DIR}/cli/source/protocol_read.c)
file(GLOB DP2DP_FUZZ_TARGETS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.c)
if(DP2DP_FUZZ)
  add_custom_target(fuzzers)
endif()
foreach(source ${DP2DP_FUZZ_TARGETS})
  get_filename_component(name ${source} NAME_WE)
  if(BUILD_TESTING)
    add_executable(corpus_${name} ${source} ${DP2DP_FUZZ_OF_${name}}
                   ${PROJECT_SOURCE_DIR}/tools/corpus_runner.c)
    target_include_directories(corpus_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cli)
    target_link_libraries(corpus_${name} PRIVATE dp2dp_internal dp2dp_flags)
    add_test(NAME fuzz/${name}
             COMMAND corpus_${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz)
  endif()
  if(DP2DP_FUZZ)
    add_executable(fuzz_${name} ${source} ${DP2DP_FUZZ_OF_${name}})
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cli)
    target_link_libraries(fuzz_${name} PRIVATE dp2dp_internal dp2dp_flags)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
    add_dependencies(fuzzers fuzz_${name})
  endif()
endforeach()

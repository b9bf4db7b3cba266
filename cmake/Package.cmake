# What `install` puts on a machine: program, shared and static library, public headers, a
# CMake package and a pkg-config file (cli/ adds the manual pages). The last two stay valid when the
# prefix is moved.
include(CMakePackageConfigHelpers)
set(DP2DP_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dp2dp)

install(TARGETS dp2dp EXPORT dp2dpTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS dp2dp_static EXPORT dp2dpStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dp2dpTargets NAMESPACE dp2dp:: DESTINATION ${DP2DP_CMAKE_DIR})
install(EXPORT dp2dpStaticTargets NAMESPACE dp2dp:: DESTINATION ${DP2DP_CMAKE_DIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dp2dp ${PROJECT_BINARY_DIR}/include/dp2dp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# Before 1.0 a minor version may change the interface; the soname in src/ says the same.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(DP2DP_COMPATIBILITY SameMinorVersion)
else()
  set(DP2DP_COMPATIBILITY SameMajorVersion)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dp2dpConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dp2dpConfig.cmake INSTALL_DESTINATION ${DP2DP_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dp2dpConfigVersion.cmake
  COMPATIBILITY ${DP2DP_COMPATIBILITY})
install(FILES ${PROJECT_BINARY_DIR}/dp2dpConfig.cmake ${PROJECT_BINARY_DIR}/dp2dpConfigVersion.cmake
        DESTINATION ${DP2DP_CMAKE_DIR})

file(RELATIVE_PATH DP2DP_PC_TO_PREFIX
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/dp2dp.pc.in ${PROJECT_BINARY_DIR}/dp2dp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dp2dp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET dp2dp_program)
  install(TARGETS dp2dp_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

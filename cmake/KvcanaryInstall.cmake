# `cmake --install`: the headers, the library, and the package that find_package(kvcanary) finds.

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kvcanary")

install(DIRECTORY include/kvcanary DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(TARGETS kvcanary EXPORT kvcanaryTargets)
install(EXPORT kvcanaryTargets NAMESPACE kvcanary:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/kvcanaryConfig.cmake.in kvcanaryConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(kvcanaryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/kvcanaryConfig.cmake"
  "${PROJECT_BINARY_DIR}/kvcanaryConfigVersion.cmake"
  DESTINATION "${package_dir}")

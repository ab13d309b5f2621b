# Libraries, headers, the command and the package that find_package(whybits) reads.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/whybits)
get_property(rooms GLOBAL PROPERTY WHYBITS_ROOMS)
list(TRANSFORM rooms PREPEND whybits_ OUTPUT_VARIABLE libraries)

install(TARGETS whybits_fp ${libraries} EXPORT whybits
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS whybits RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(room IN LISTS rooms)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/whybits
    FILES_MATCHING PATTERN "*.hpp"
    PATTERN "*-inl.hpp" EXCLUDE)
endforeach()

install(EXPORT whybits NAMESPACE whybits:: FILE whybitsTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/whybitsConfig.cmake.in
  ${PROJECT_BINARY_DIR}/whybitsConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/whybitsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/whybitsConfig.cmake
  ${PROJECT_BINARY_DIR}/whybitsConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindGMP.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake
  DESTINATION ${package_dir})

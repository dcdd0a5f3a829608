# Installation: the library with its public headers, the tool with its manual pages and its completion, and what lets
# other builds find them (find_package(clade) and pkg-config).
include(CMakePackageConfigHelpers)

install(TARGETS clade EXPORT clade-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS clade_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET clade_mpi)
  install(TARGETS clade_mpi LIBRARY DESTINATION lib/clade)  # where the tool looks for it: src/comm/start.cpp
endif()
install(CODE "
  set(tool \"$<TARGET_FILE:clade_tool>\")
  set(folder \"${PROJECT_BINARY_DIR}/pages\")
  set(man_folder \"${CMAKE_INSTALL_MANDIR}\")
  set(data_folder \"${CMAKE_INSTALL_DATADIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/CladePages.cmake\")")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clade ${PROJECT_BINARY_DIR}/include/clade
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# A static library hands its own needs to whoever links it.
set(CLADE_PRIVATE_LIBRARIES fmt archive sqlite3 z lzma zstd stemmer utf8proc pthread)
if(CLADE_BLAS)
  list(APPEND CLADE_PRIVATE_LIBRARIES ${CMAKE_DL_LIBS})  # OpenBLAS itself is loaded when it is first needed
endif()
list(TRANSFORM CLADE_PRIVATE_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE flags)
list(JOIN flags " " CLADE_PRIVATE_FLAGS)
get_target_property(type clade TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(CLADE_PC_LIBS "-lclade ${CLADE_PRIVATE_FLAGS}")
else()
  set(CLADE_PC_LIBS "-lclade")
endif()

# The rest have no package files, so the package config names them.
set(CLADE_CONFIG_LIBRARIES "stemmer utf8proc zstd")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clade)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/clade-config.cmake.in
  ${PROJECT_BINARY_DIR}/clade-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clade-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/clade.pc.in ${PROJECT_BINARY_DIR}/clade.pc @ONLY)

install(EXPORT clade-targets NAMESPACE clade:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/clade-config.cmake ${PROJECT_BINARY_DIR}/clade-config-version.cmake
  DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/clade.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

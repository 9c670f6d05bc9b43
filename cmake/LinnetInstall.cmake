# What is installed of liblinnet: components runtime and development. The tools are a component of their own.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/linnet)
set(generated ${PROJECT_BINARY_DIR}/package)

install(TARGETS linnet EXPORT linnet-shared
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS linnet_static EXPORT linnet-static
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(component shared static)
  install(EXPORT linnet-${component} NAMESPACE linnet:: DESTINATION ${package} COMPONENT development)
endforeach()
list(TRANSFORM LINNET_INCLUDES APPEND / OUTPUT_VARIABLE headers)
install(DIRECTORY ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/linnetConfig.cmake.in ${generated}/linnetConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${generated}/linnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(CONFIGURE OUTPUT ${generated}/linnetDependencies.cmake CONTENT "${LINNET_FIND_DEPENDENCIES}")
install(FILES ${generated}/linnetConfig.cmake ${generated}/linnetConfigVersion.cmake ${generated}/linnetDependencies.cmake
        DESTINATION ${package} COMPONENT development)
install(DIRECTORY ${LINNET_MODULES} DESTINATION ${package} COMPONENT development)

file(RELATIVE_PATH LINNET_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" LINNET_PC_PREFIX ${LINNET_PC_PREFIX})
# By their flags: pkg-config would ask for the modules themselves, also of who links the shared library.
find_package(PkgConfig REQUIRED)
list(TRANSFORM LINNET_PC_REQUIRES REPLACE " = .*" "" OUTPUT_VARIABLE modules)
if(modules)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs ${modules} OUTPUT_VARIABLE libraries
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE missing)
  if(missing)
    message(WARNING "linnet.pc does not say what a static program is linked with: ${modules}")
  endif()
  list(PREPEND LINNET_PC_LIBS ${libraries})
endif()
list(JOIN LINNET_PC_LIBS " " LINNET_PC_LIBS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/linnet.pc.in ${generated}/linnet.pc @ONLY)
install(FILES ${generated}/linnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

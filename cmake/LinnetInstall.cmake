# The installation of liblinnet: the components runtime and development. The tools are a separate component.
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
# Uses flags because pkg-config would require the modules themselves, even for users who link the shared library.
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

# The licence, and the documents that scripts/sbom.py writes about the libraries that Linnet needs, where dpkg is
# available.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/linnet)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} COMPONENT runtime)
find_program(LINNET_PYTHON3 python3)
find_program(LINNET_DPKG_QUERY dpkg-query)
if(LINNET_PYTHON3 AND LINNET_DPKG_QUERY)
  set(targets linnet run_model linnet_onnxruntime)
  if(NOT LINNET_BUILD_TORCH)
    list(APPEND targets export_model)
  endif()
  list(TRANSFORM targets REPLACE "(.+)" "$<$<TARGET_EXISTS:\\1>:$<TARGET_FILE:\\1>>")
  install(CODE "execute_process(COMMAND ${LINNET_PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/sbom.py ${PROJECT_VERSION}
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${documents} ${targets} RESULT_VARIABLE failed)
    if(failed)
      message(WARNING \"Linnet is installed without its bill of materials\")
    endif()" COMPONENT runtime)
endif()

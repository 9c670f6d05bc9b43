# liblinnet: everything an application links, in one shared library that exports the public API only.
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.cc.in ${CMAKE_BINARY_DIR}/version.cc @ONLY)
add_library(linnet SHARED ${CMAKE_BINARY_DIR}/version.cc)
add_library(linnet::linnet ALIAS linnet)
set_target_properties(linnet PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
set(includes ${CMAKE_SOURCE_DIR}/engine/include)
foreach(format IN LISTS LINNET_FORMATS)
  list(APPEND includes ${CMAKE_SOURCE_DIR}/frontends/${format}/include)
  list(APPEND loaders linnet_${format})
  list(APPEND archives $<TARGET_FILE:linnet_${format}>)
endforeach()
# The whole archives go in; naming the targets once more adds what they depend on.
target_link_libraries(
  linnet PRIVATE -Wl,--whole-archive $<TARGET_FILE:linnet_engine> $<TARGET_FILE:linnet_ops> ${archives}
                 -Wl,--no-whole-archive ${loaders})
# Visibility hides our own internals; the script also hides the library templates that were instantiated for them.
target_link_options(linnet PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/linnet.map)
set_property(TARGET linnet APPEND PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/linnet.map)
target_include_directories(linnet PUBLIC "$<BUILD_INTERFACE:${includes}>" $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(linnet PUBLIC cxx_std_20)
install(TARGETS linnet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
list(TRANSFORM includes APPEND /linnet)
install(DIRECTORY ${includes} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers)

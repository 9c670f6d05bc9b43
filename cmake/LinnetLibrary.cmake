# liblinnet: everything an application links, in one shared library that exports the public API only.
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.cc.in ${CMAKE_BINARY_DIR}/version.cc @ONLY)
add_library(linnet SHARED ${CMAKE_BINARY_DIR}/version.cc)
add_library(linnet::linnet ALIAS linnet)
set_target_properties(linnet PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
# The whole archives go in; naming the targets once more adds what they depend on.
target_link_libraries(
  linnet PRIVATE -Wl,--whole-archive $<TARGET_FILE:linnet_engine> $<TARGET_FILE:linnet_ops> $<TARGET_FILE:linnet_onnx>
                 -Wl,--no-whole-archive linnet_onnx)
# Visibility hides our own internals; the script also hides the library templates that were instantiated for them.
target_link_options(linnet PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/linnet.map)
set_property(TARGET linnet APPEND PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/linnet.map)
target_include_directories(linnet PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/engine/include>
                                         $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/frontends/onnx/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(linnet PUBLIC cxx_std_20)
install(TARGETS linnet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/engine/include/linnet ${CMAKE_SOURCE_DIR}/frontends/onnx/include/linnet
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers)

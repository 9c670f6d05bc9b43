# liblinnet: everything that an application links, as a shared library that exports only the public API (linnet::linnet)
# and as one archive (linnet::static). Both are made from the same objects and contain the C++ API and the C API.
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.cc.in ${PROJECT_BINARY_DIR}/version.cc @ONLY)
add_library(linnet_version OBJECT ${PROJECT_BINARY_DIR}/version.cc)
set(parts linnet_version linnet_engine linnet_ops linnet_images linnet_c ${LINNET_LOADERS})
set(LINNET_INCLUDES ${PROJECT_SOURCE_DIR}/engine/include ${PROJECT_SOURCE_DIR}/ops/include
    ${PROJECT_SOURCE_DIR}/bindings/c/include ${PROJECT_SOURCE_DIR}/frontends/onnx/include)
target_include_directories(linnet_version PRIVATE ${LINNET_INCLUDES})

# A part consists of its objects and those of object libraries.
foreach(part IN LISTS parts)
  get_target_property(sources ${part} SOURCES)
  list(FILTER sources INCLUDE REGEX TARGET_OBJECTS)
  list(APPEND objects $<TARGET_OBJECTS:${part}> ${sources})
endforeach()

add_library(linnet SHARED ${objects})
add_library(linnet_static STATIC ${objects})
add_library(linnet::linnet ALIAS linnet)
add_library(linnet::static ALIAS linnet_static)
foreach(library linnet linnet_static)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME linnet)
  target_link_libraries(${library} PRIVATE ${LINNET_DEPENDENCIES})
  target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${LINNET_INCLUDES}>")
  target_compile_features(${library} PUBLIC cxx_std_20)
endforeach()
set_target_properties(linnet_static PROPERTIES EXPORT_NAME static)
# clang's library is in a folder that linkers do not search. Users of the archive link it by name, because they may have
# another compiler.
target_link_libraries(linnet PRIVATE OpenMP::OpenMP_CXX)
target_link_libraries(linnet_static PRIVATE ${OpenMP_CXX_LIB_NAMES})

# Stores the addresses that loading relocates as bits (DT_RELR), if the machine's C library supports it (glibc 2.36 or
# later).
if(NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_LINK_OPTIONS -pie -Wl,-z,pack-relative-relocs)
  check_cxx_source_runs("int x; int* volatile p = &x; int main() { return *p; }" LINNET_HAS_PACKED_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
if(LINNET_HAS_PACKED_RELOCATIONS)
  target_link_options(linnet PRIVATE -Wl,-z,pack-relative-relocs)
endif()

# Before 1.0, every minor version may change the interface.
set_target_properties(linnet PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                        BUILD_WITH_INSTALL_RPATH ON)  # Wheels take it from the build folder.
# Visibility hides internal symbols. The script also hides the instances of library templates for internal types. The
# library calls its exported functions directly, not through a table.
target_link_options(linnet PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/linnet.map -Wl,-Bsymbolic-functions)
set_property(TARGET linnet APPEND PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/linnet.map)

# Used if this folder is configured separately, for example for another PyTorch than Linnet was built with. The engine,
# the operators, the schema of ONNX and the exporter's rules are imported from a build of Linnet; they do not depend on
# PyTorch.
set(LINNET_ROOT ${CMAKE_CURRENT_SOURCE_DIR}/../..)
set(LINNET_BUILD ${LINNET_ROOT}/build CACHE PATH "A build folder of Linnet")
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Protobuf REQUIRED)

function(import_library name folder)
  add_library(${name} STATIC IMPORTED)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${LINNET_BUILD}/${folder}/lib${name}.a)
  target_include_directories(${name} INTERFACE ${LINNET_ROOT}/${folder})
endfunction()

import_library(linnet_engine engine)
target_include_directories(linnet_engine INTERFACE ${LINNET_ROOT}/engine/include)
target_link_libraries(linnet_engine INTERFACE OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
import_library(linnet_ops ops)
target_link_libraries(linnet_ops INTERFACE linnet_engine)
add_library(linnet_onnx_schema STATIC IMPORTED)
set_target_properties(linnet_onnx_schema PROPERTIES
  IMPORTED_LOCATION ${LINNET_BUILD}/frontends/onnx/liblinnet_onnx_schema.a
  INTERFACE_INCLUDE_DIRECTORIES ${LINNET_BUILD}/frontends/onnx/schema)
target_link_libraries(linnet_onnx_schema INTERFACE protobuf::libprotobuf)
import_library(linnet_exporter frontends/torch/exporter)
target_include_directories(linnet_exporter INTERFACE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_link_libraries(linnet_exporter INTERFACE linnet_engine linnet_onnx_schema)
include(${LINNET_ROOT}/cmake/LinnetWarnings.cmake)
include(${LINNET_ROOT}/cmake/LinnetUnity.cmake)

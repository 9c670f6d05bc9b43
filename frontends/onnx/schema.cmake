# linnet_onnx_schema(out_sources out_dir): generates C++ classes from the schema of the installed ONNX package.
# The copy has its own package, so that its symbols never collide with those of another ONNX in the same process. It
# also gains the fields that later versions of the format added and that change what a model means.
# Source of field names and numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

# Adds a field to a message of the schema in variable `text`, unless the message has it.
function(add_schema_field text message field number)
  string(REGEX MATCH "message ${message} {([^}]|}[^\n])*" body "${${text}}")
  if(NOT body MATCHES " = ${number};")
    string(REPLACE "message ${message} {" "message ${message} {\n  ${field} = ${number};" ${text} "${${text}}")
    set(${text} "${${text}}" PARENT_SCOPE)
  endif()
endfunction()

function(linnet_onnx_schema out_sources out_dir)
  find_file(LINNET_ONNX_SCHEMA NAMES onnx/onnx.proto onnx/onnx-ml.proto DOC "The schema of the ONNX format")
  if(NOT LINNET_ONNX_SCHEMA)
    message(FATAL_ERROR "onnx/onnx.proto not found. Install ONNX's headers (Debian, Ubuntu: apt install libonnx-dev), "
                        "or pass -DLINNET_ONNX_SCHEMA=<path of onnx.proto>.")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LINNET_ONNX_SCHEMA})

  # Comments are removed first: braces and semicolons in them would break CMake's lists and the search above.
  file(READ ${LINNET_ONNX_SCHEMA} schema)
  string(REGEX REPLACE "//[^\n]*" "" schema "${schema}")
  string(REGEX REPLACE "\npackage [^\n]*" "\npackage linnet_onnx;\n" schema "${schema}")
  string(REGEX REPLACE "\noption optimize_for[^\n]*" "" schema "${schema}")
  string(REPLACE "\npackage linnet_onnx;\n" "\npackage linnet_onnx;\noption optimize_for = LITE_RUNTIME;\n"
                 schema "${schema}")
  add_schema_field(schema NodeProto "optional string overload" 8)
  add_schema_field(schema FunctionProto "repeated AttributeProto attribute_proto" 11)
  add_schema_field(schema FunctionProto "optional string overload" 13)
  add_schema_field(schema ModelProto "repeated FunctionProto functions" 25)

  set(dir ${CMAKE_CURRENT_BINARY_DIR}/schema)
  file(CONFIGURE OUTPUT ${dir}/linnet_onnx.proto CONTENT "${schema}" @ONLY)
  configure_file(linnet_onnx_data.proto ${dir}/linnet_onnx_data.proto COPYONLY)
  foreach(name linnet_onnx linnet_onnx_data)
    add_custom_command(
      OUTPUT ${dir}/${name}.pb.cc ${dir}/${name}.pb.h
      COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${dir} --cpp_out=${dir} ${dir}/${name}.proto
      DEPENDS ${dir}/linnet_onnx.proto ${dir}/linnet_onnx_data.proto
      VERBATIM)
    list(APPEND sources ${dir}/${name}.pb.cc)
  endforeach()
  set(${out_sources} ${sources} PARENT_SCOPE)
  set(${out_dir} ${dir} PARENT_SCOPE)
endfunction()

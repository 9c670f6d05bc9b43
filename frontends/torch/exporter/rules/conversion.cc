#include "building_blocks.h"
#include "rule_list.h"

// Conversions to another dtype.
namespace linnet::exporter {
namespace {

void convert(Call& call) { call.set(call.value("self", call.dtype())); }

/// Converts between scalars and tensors; both are one value in ONNX.
void convert_scalar(Call& call) {
  const std::string x = call.value("a", call.dtype());
  const bool has_axes = call.is_tensor("a") && call.tensor("a").dim() > 0;
  call.set(has_axes ? call.emit("Reshape", {x, call.constant_of(Integers{})}) : x);
}

/// Returns the only element of a tensor.
void item(Call& call) {
  const std::string x = call.value("self", call.dtype());
  call.set(call.tensor().dim() > 0 ? call.emit("Reshape", {x, call.constant_of(Integers{})}) : x);
}

}  // namespace

void register_conversion(Lowerings& lowerings) {
  lowerings.add({"aten::to.dtype", "aten::to.device", "aten::to.other", "aten::to.dtype_layout", "aten::to.prim_Device",
                 "aten::to.prim_dtype", "aten::to.prim_other", "aten::type_as", "aten::_to_copy", "aten::_cast_Float",
                 "aten::_cast_Long"},
                convert);
  lowerings.add(
      {"prim::NumToTensor.Scalar", "prim::NumToTensor.bool", "aten::Int.Tensor", "aten::Int.Scalar", "aten::Int.float",
       "aten::Int.bool", "aten::Float.Tensor", "aten::Float.Scalar", "aten::Float.int", "aten::Bool.Tensor",
       "aten::Bool.int", "aten::Bool.float", "aten::IntImplicit", "aten::FloatImplicit", "aten::ScalarImplicit"},
      convert_scalar);
  lowerings.add({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"}, item);
}

}  // namespace linnet::exporter

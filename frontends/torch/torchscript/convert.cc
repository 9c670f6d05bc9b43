#include "convert.h"

#include <ATen/ATen.h>

#include <array>

#include "exporter/export_error.h"

namespace linnet::exporter::torchscript {
namespace {

struct TypeRow {
  at::ScalarType scalar_type;
  DType dtype;
};

constexpr std::array<TypeRow, 12> kTypes{{{at::kFloat, DType::kFloat32},
                                          {at::kByte, DType::kUint8},
                                          {at::kChar, DType::kInt8},
                                          {at::kShort, DType::kInt16},
                                          {at::kInt, DType::kInt32},
                                          {at::kLong, DType::kInt64},
                                          {at::kBool, DType::kBool},
                                          {at::kHalf, DType::kFloat16},
                                          {at::kDouble, DType::kFloat64},
                                          {at::kComplexFloat, DType::kComplex64},
                                          {at::kComplexDouble, DType::kComplex128},
                                          {at::kBFloat16, DType::kBFloat16}}};

TensorInfo seen(const at::Tensor& tensor, bool is_constant) {
  if (!tensor.defined()) return {};
  TensorInfo info{dtype_from(tensor.scalar_type()), tensor.sizes().vec()};
  if (is_constant) info.contents = dense(tensor);
  info.channels_last = (tensor.dim() == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast)) ||
                       (tensor.dim() == 5 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  info.is_whole = tensor.is_contiguous() && tensor.has_storage() && tensor.storage().nbytes() == tensor.nbytes();
  info.is_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  return info;
}

Concrete seen(const c10::IValue& value, bool is_constant) {
  if (value.isTensor()) return {seen(value.toTensor(), is_constant)};
  if (value.isBool()) return {value.toBool()};
  if (value.isInt()) return {value.toInt()};
  if (value.isDouble()) return {value.toDouble()};
  if (value.isComplexDouble()) return {std::complex<double>(value.toComplexDouble())};
  if (value.isString()) return {value.toStringRef()};
  return {};
}

}  // namespace

DType dtype_from(at::ScalarType scalar_type) {
  for (const TypeRow& row : kTypes) {
    if (row.scalar_type == scalar_type) return row.dtype;
  }
  throw ExportError(text_of("ONNX has no dtype ", c10::toString(scalar_type)));
}

at::ScalarType scalar_type_of(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.scalar_type;
  }
  throw ExportError(text_of("PyTorch has no dtype ", dtype_name(dtype)));
}

at::ScalarType scalar_type_named(const std::string& name) {
  std::string names;
  for (const TypeRow& row : kTypes) {
    if (dtype_name(row.dtype) == name) return row.scalar_type;
    names += text_of(names.empty() ? "" : ", ", dtype_name(row.dtype));
  }
  throw ExportError("unknown dtype '" + name + "': use one of " + names);
}

Tensor dense(const at::Tensor& tensor) {
  const auto kept = std::make_shared<at::Tensor>(tensor.detach().cpu().resolve_conj().contiguous());
  const Shape shape(tensor.sizes().vec());
  return Tensor::share(dtype_from(tensor.scalar_type()), shape, kept->data_ptr(), kept);
}

Tensor scalar_of(const c10::IValue& number) {
  return dense(at::scalar_to_tensor(number.toScalar()).to(scalar_type_of(dtype_of(number))));
}

exporter::Value seen(const Value& value) {
  exporter::Value result;
  if (value.is_container()) {
    result.is_list = true;
    for (const Value& element : value.container->elements) result.elements.push_back(seen(element));
    return result;
  }
  result.name = value.name;
  for (const c10::IValue& concrete : value.concrete) result.concrete.push_back(seen(concrete, value.constant()));
  return result;
}

}  // namespace linnet::exporter::torchscript

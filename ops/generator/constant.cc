#include "generator/constant_kernel.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// The tensor that a value attribute represents.
Tensor attribute_tensor(const NodeSpec& node, const std::string& name) {
  if (name == "value" || name == "sparse_value") return node.attr<Tensor>(name);
  if (name == "value_int") return Tensor::scalar(node.attr<int64_t>(name));
  if (name == "value_float") return Tensor::scalar(node.attr<float>(name));
  if (name == "value_string") return Tensor::scalar(node.attr<std::string>(name));
  if (name == "value_ints") return Tensor::of(node.attr<std::vector<int64_t>>(name));
  if (name == "value_floats") return Tensor::of(node.attr<std::vector<float>>(name));
  return Tensor::of(node.attr<std::vector<std::string>>(name));
}

/// Constant: the tensor in the only given attribute: value or sparse_value (any dtype), value_int, value_float,
/// value_string (rank 0), value_ints, value_floats, value_strings (rank 1).
/// Source: https://onnx.ai/onnx/operators/onnx__Constant.html
class Constant final : public Op {
 public:
  explicit Constant(const NodeSpec& node) {
    int given = 0;
    for (const char* name : {"value", "sparse_value", "value_int", "value_float", "value_string", "value_ints",
                             "value_floats", "value_strings"}) {
      if (!node.has(name)) continue;
      value_ = attribute_tensor(node, name);
      ++given;
    }
    if (given != 1) throw Error(ErrorKind::kModel, str("expected one value attribute, got ", given));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 0, 0);
    return {Fact(value_)};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<ConstantKernel>(value_); }

 private:
  Tensor value_;
};

}  // namespace

LINNET_REGISTER(constant)(Registry& registry) { registry.add<Constant>("Constant", {.since = 1}); }

}  // namespace linnet

#include <ATen/ATen.h>

#include <set>

#include "exporter/pairs.h"
#include "tracer.h"

// Evaluates what follows from a tensor's type and shape, not from its contents.
namespace linnet::exporter::torchscript {
namespace {

const std::set<std::string>& facts() {
  static const std::set<std::string> names{"aten::dim",
                                           "prim::dtype",
                                           "prim::device",
                                           "prim::layout",
                                           "prim::is_cuda",
                                           "prim::is_cpu",
                                           "aten::is_floating_point",
                                           "aten::is_complex",
                                           "aten::is_contiguous",
                                           "prim::requires_grad",
                                           "prim::is_quantized",
                                           "aten::get_device",
                                           "aten::is_signed",
                                           "prim::type",
                                           "prim::is_sparse",
                                           "aten::is_inference",
                                           "prim::is_nested",
                                           "prim::is_mkldnn",
                                           "prim::is_meta",
                                           "prim::index",
                                           "aten::__isnot__",
                                           "aten::__is__"};
  return names;
}

}  // namespace

bool Tracer::fold_fact(const Node& node, const std::vector<Value>& inputs) {
  const std::string name = node.kind().toQualString();
  const bool size = name == "aten::size" || name == "aten::numel" || name == "aten::len" || name == "aten::sym_size";
  if (size && inputs[0].is_tensor()) {
    visit_size(node, inputs);
    return true;
  }
  if (!facts().contains(name)) return false;
  const std::vector<Value> results = evaluate(node);
  check_results(node, results);
  for (size_t i = 0; i < results.size(); ++i) bind(node.outputs()[i], results[i]);
  return true;
}

/// Returns the size of one axis. It is constant if it is the same in all evaluations.
Value Tracer::size_value(const Value& tensor, int64_t axis) {
  std::vector<c10::IValue> sizes;
  for (size_t e = 0; e < evaluations_; ++e) sizes.emplace_back(tensor.tensor(e).size(axis));
  Value result = make_constant(sizes);
  result.of_contents = tensor.of_contents;
  if (result.agrees()) return result;
  const std::string shape = builder_.emit("Shape", {name_of(tensor)}, {}, 1)[0];
  const std::string index = builder_.constant(Tensor::scalar(axis));
  result.name = builder_.emit("Gather", {shape, index}, {{"axis", 0}}, 1)[0];
  return result;
}

/// Returns the number of elements, int64 of rank 0.
std::string Tracer::elements_of(const Value& tensor) {
  const std::string elements = builder_.emit("Size", {name_of(tensor)}, {}, 1)[0];
  if (!exporter::is_complex(dtype_of(tensor.concrete[0]))) return elements;
  return builder_.emit("Div", {elements, builder_.constant(Tensor::scalar(int64_t{2}))}, {}, 1)[0];
}

void Tracer::visit_size(const Node& node, const std::vector<Value>& inputs) {
  std::vector<Value> results = evaluate(node);
  const std::string name = Site(node).operator_name();
  const Value& tensor = inputs[0];
  if (name == "aten::numel") {
    results[0].of_contents = tensor.of_contents;
    if (!results[0].agrees()) results[0].name = elements_of(tensor);
  } else if (results[0].is_container()) {
    std::vector<Value>& sizes = results[0].container->elements;
    for (size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] = size_value(tensor, int64_t(axis));
  } else {
    const int64_t axis = inputs.size() > 1 ? constant_int(node, 1) : 0;
    results[0] = size_value(tensor, axis < 0 ? axis + tensor.tensor().dim() : axis);
  }
  bind(node.outputs()[0], results[0]);
}

}  // namespace linnet::exporter::torchscript

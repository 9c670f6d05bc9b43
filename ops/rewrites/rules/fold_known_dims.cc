#include "rewrites/matching/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

/// The dims of x that the indices name; nullopt where one is open or out of range.
template <class T>
std::optional<std::vector<int64_t>> dims_at(const Fact& x, const Tensor& indices) {
  std::vector<int64_t> dims;
  for (const T index : indices.values<T>()) {
    const int64_t axis = index < 0 ? index + x.rank() : index;
    if (axis < 0 || axis >= x.rank() || !x.dim(int(axis)).known()) return std::nullopt;
    dims.push_back(x.dim(int(axis)).value());
  }
  return dims;
}

}  // namespace

// Gather(Shape(x), i) -> a constant, where the dims that it picks are known though others are not.
std::optional<Patch> fold_known_dims(const Graph& graph, const Node& node) {
  if (!is_op(node, "Gather") || graph.is_output(node.outputs[0])) return std::nullopt;
  const Node* shape = producer(graph, node, 0, "Shape");
  const Tensor* indices = graph.constant_input(node, 1);
  if (!shape || !shape->spec.attributes.empty() || !indices) return std::nullopt;
  const Fact& x = graph.input_fact(*shape, 0);
  if (!x.has_rank()) return std::nullopt;
  const auto dims = indices->dtype() == DType::kInt64 ? dims_at<int64_t>(x, *indices) : dims_at<int32_t>(x, *indices);
  if (!dims) return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.constant(node.spec.name + ".dims", Tensor::of(indices->shape(), *dims)));
  return patch;
}

}  // namespace linnet

#include <algorithm>
#include <numeric>

#include "movement/axes.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

int64_t clamped(int64_t index, int64_t count) {
  return std::clamp<int64_t>(index < 0 ? index + count : index, 0, count);
}

std::vector<int64_t> range(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers(size_t(std::max<int64_t>(end - begin, 0)));
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

/// The axes of x whose dims a Shape returns.
std::vector<int64_t> axes_of(const Node& shape, int64_t rank) {
  return range(clamped(shape.spec.attr_or("start", int64_t{0}), rank),
               clamped(shape.spec.attr_or("end", INT64_MAX), rank));
}

/// The positions that a Gather or Slice of a vector selects; nullopt if they are unknown or the step of a Slice is not
/// 1.
std::optional<std::vector<int64_t>> places_of(const Graph& graph, const Node& node, int64_t count) {
  const auto ints = [&](int input) { return constant_ints(graph.input_fact(node, input)); };
  if (is_op(node, "Gather")) {
    auto places = ints(1);
    if (places) {
      for (int64_t& place : *places) place += place < 0 ? count : 0;
    }
    return places;
  }
  const std::vector<Fact> in = input_facts(graph, node);
  const auto values = [&](const char* name, int input) {
    return IntsParameter(node.spec, name, input, 10).numbers(in);
  };
  const auto starts = values("starts", 1), ends = values("ends", 2), steps = ints(4);
  const bool has_steps = optional_input(node, 4) != kNoValue;
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  if (has_steps && steps != std::vector<int64_t>{1}) return std::nullopt;
  return range(clamped(starts->front(), count), clamped(ends->front(), count));
}

}  // namespace

// Gather(Shape(x), i) or Slice(Shape(x), i, j) -> a constant, if the selected dims are known, though others may not be.
LINNET_DEFINE_REWRITE(fold_known_dims, "Gather", "Slice")(const Graph& graph, const Node& node) {
  if (graph.is_output(node.outputs[0])) return std::nullopt;
  const Node* shape = producer(graph, node, 0, "Shape");
  const Fact& y = graph.fact(node.outputs[0]);
  if (!shape || !graph.input_fact(*shape, 0).has_rank() || !y.concrete()) return std::nullopt;
  const Fact& x = graph.input_fact(*shape, 0);
  const std::vector<int64_t> axes = axes_of(*shape, x.rank());
  const auto places = places_of(graph, node, std::ssize(axes));
  if (!places || y.shape().elements() != std::ssize(*places)) return std::nullopt;
  std::vector<int64_t> dims;
  for (const int64_t place : *places) {
    if (place < 0 || place >= std::ssize(axes)) return std::nullopt;
    const Dim& dim = x.dim(int(axes[size_t(place)]));
    if (!dim.known()) return std::nullopt;
    dims.push_back(dim.value());
  }
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.constant(node.spec.name + ".dims", Tensor::of(y.shape(), dims)));
  return patch;
}

}  // namespace linnet

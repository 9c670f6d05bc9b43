#include "microsoft/quantized_tensor.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "infer/infer.h"
#include "quantization/parameter.h"

namespace linnet {
namespace {

const Fact& given_fact(const Expansion& graph, size_t input, const std::string& name) {
  require_given(graph, input, name);
  return graph.facts()[input];
}

/// Checks the shape of a parameter; if it is unknown, the expansion has to wait.
void check_count(Expansion& graph, const Fact& parameter, const std::string& name, Granularity granularity) {
  if (!parameter.concrete()) return graph.wait();
  const Shape shape = parameter.shape();
  const bool is_one = shape.elements() == 1 && shape.rank() <= 1;
  if (!is_one && (granularity == Granularity::kTensor || shape.rank() != 1)) {
    const char* expected = granularity == Granularity::kTensor ? "one element" : "one element or be a vector";
    throw Error(ErrorKind::kShape, str(name, " must have ", expected, ", got ", parameter));
  }
}

/// Repeats a parameter of one element `count` times.
ValueId repeated(Expansion& graph, ValueId parameter, int64_t count) {
  const Fact& fact = graph.fact(parameter);
  if (fact.shape().elements() == count) return parameter;
  return graph.op("Expand", {parameter, graph.ints({count})});
}

ValueId dequantize(Expansion& graph, ValueId bytes, size_t input, const Attributes& attributes) {
  const ValueId scale = graph.in(input + 1), zero = graph.in(input + 2);
  const Fact &scales = graph.fact(scale), &zeros = graph.fact(zero);
  // While a shape is open, it is unknown which of the two to repeat. Facts do not depend on it, and the graph waits.
  if (zero == kNoValue || !scales.concrete() || !zeros.concrete()) {
    return graph.op("DequantizeLinear", {bytes, scale}, attributes);
  }
  const int64_t count = std::max(scales.shape().elements(), zeros.shape().elements());
  const ValueId all_scales = repeated(graph, scale, count), all_zeros = repeated(graph, zero, count);
  return graph.op("DequantizeLinear", {bytes, all_scales, all_zeros}, attributes);
}

}  // namespace

void require_given(const Expansion& graph, size_t input, const std::string& name) {
  if (!graph.has(input)) throw Error(ErrorKind::kModel, name + " is required");
}

void require_bytes(const Expansion& graph, size_t input, const std::string& name) {
  require_dtype_in(given_fact(graph, input, name), kByteTypes, name);
}

void check_scale(Expansion& graph, size_t scale, size_t zero_point, DType dtype, const std::string& name,
                 Granularity granularity) {
  const Fact& fact = given_fact(graph, scale, name + "_scale");
  require_dtype(fact, DType::kFloat32, name + "_scale");
  check_count(graph, fact, name + "_scale", granularity);
  require_positive(fact, name + "_scale");
  if (!graph.has(zero_point)) return;
  const Fact& zero = graph.facts()[zero_point];
  require_dtype(zero, dtype, name + "_zero_point");
  check_count(graph, zero, name + "_zero_point", granularity);
  if (!fact.concrete() || !zero.concrete()) return;
  const int64_t scales = fact.shape().elements(), zeros = zero.shape().elements();
  if (scales != zeros && scales != 1 && zeros != 1) {
    throw Error(ErrorKind::kShape,
                str(name, "_zero_point must have as many elements as ", name, "_scale, got ", zero, " and ", fact));
  }
}

ValueId dequantized(Expansion& graph, size_t input, const std::string& name) {
  require_bytes(graph, input, name);
  check_scale(graph, input + 1, input + 2, graph.facts()[input].dtype, name);
  return dequantize(graph, graph.in(input), input, {});
}

ValueId dequantized_channels_first(Expansion& graph, size_t input, const std::string& name, int rank) {
  require_bytes(graph, input, name);
  check_scale(graph, input + 1, input + 2, graph.facts()[input].dtype, name);
  return dequantize(graph, channels_first(graph, graph.in(input), rank), input, {});
}

ValueId dequantized(Expansion& graph, size_t input, const std::string& name, int64_t axis) {
  require_bytes(graph, input, name);
  check_scale(graph, input + 1, input + 2, graph.facts()[input].dtype, name, Granularity::kAxis);
  return dequantize(graph, graph.in(input), input, {{"axis", axis}});
}

ValueId quantized(Expansion& graph, ValueId y, size_t scale, DType dtype, const std::string& name) {
  check_scale(graph, scale, scale + 1, dtype, name);
  if (graph.has(scale + 1)) return graph.op("QuantizeLinear", {y, graph.in(scale), graph.in(scale + 1)});
  return graph.op("QuantizeLinear", {y, graph.in(scale)}, {{"output_dtype", int64_t(dtype)}});
}

ValueId channels_first(GraphWriter& graph, ValueId x, int rank) {
  std::vector<int64_t> perm{0, rank - 1};
  for (int64_t i = 1; i < rank - 1; ++i) perm.push_back(i);
  return graph.transpose(x, perm);
}

ValueId channels_last(GraphWriter& graph, ValueId x, int rank) {
  std::vector<int64_t> perm(size_t(rank), 1);
  perm[0] = 0;
  std::iota(perm.begin() + 1, perm.end() - 1, 2);
  return graph.transpose(x, perm);
}

}  // namespace linnet

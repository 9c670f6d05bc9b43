#include <algorithm>
#include <numeric>

#include "gemm/quantized_output.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// The largest number of terms of a sum that fits in 32 bits.
constexpr int64_t kMostTerms = (int64_t{1} << 31) / (255 * 255);

/// Whether two values are matrices of the same batches, with a depth of at most kMostTerms.
bool fit_product(const Fact& a, const Fact& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank() || a.rank() < 2) return false;
  const Dim& depth = a.dim(a.rank() - 1);
  return certainly_at_least(kMostTerms, depth) &&
         certainly_equal(Dims(a.dims->begin(), a.dims->end() - 2), Dims(b.dims->begin(), b.dims->end() - 2));
}

/// The permutation of a Transpose with its last two axes swapped.
std::vector<int64_t> matrices_exchanged(const Graph& graph, const Node& transpose) {
  std::vector<int64_t> perm(size_t(graph.input_fact(transpose, 0).rank()));
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (const auto* written = transpose.spec.find<std::vector<int64_t>>("perm")) perm = *written;
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}

/// The bytes of w. If w is transposed with its rows intact, uses the bytes before the Transpose and sets transposes_w,
/// so that the product includes the Transpose.
ValueId add_w(const Graph& graph, Patch& patch, const Node& dequantize, NodeSpec& spec) {
  const Node* transpose = producer(graph, dequantize, 0, "Transpose");
  if (!transpose || !graph.input_fact(*transpose, 0).has_rank()) return dequantize.inputs[0];
  const std::vector<int64_t> perm = matrices_exchanged(graph, *transpose);
  const auto rank = int64_t(perm.size());
  const bool keeps_rows = perm[size_t(rank - 1)] == rank - 1;
  if (!keeps_rows) return dequantize.inputs[0];
  spec.attributes["transposes_w"] = int64_t{1};
  NodeSpec moved = transpose->spec;
  moved.attributes["perm"] = perm;
  return patch.add(std::move(moved), transpose->inputs);
}

}  // namespace

// DequantizeLinear(x), DequantizeLinear(w) -> MatMul -> (Relu or Clip ->) QuantizeLinear becomes linnet::QLinearMatMul
// of batches of matrices, neither of them constant. It includes a Transpose of w that keeps rows intact.
LINNET_DEFINE_REWRITE(fuse_product_of_activations, "MatMul")(const Graph& graph, const Node& node) {
  if (!fit_product(graph.input_fact(node, 0), graph.input_fact(node, 1))) return std::nullopt;
  const Node *x = dequantize_before(graph, node, 0), *w = dequantize_before(graph, node, 1);
  if (!x || !w) return std::nullopt;
  const ByteGrid of_w = *byte_grid(graph, *w);
  const std::string& name = node.spec.name;
  Patch patch(graph);
  NodeSpec spec = internal_spec(node, "QLinearMatMul");
  std::vector<ValueId> inputs{x->inputs[0]};
  add_grid(patch, *x, *byte_grid(graph, *x), inputs);
  inputs.push_back(add_w(graph, patch, *w, spec));
  inputs.push_back(patch.constant(name + ".w_scale", Tensor::scalar(of_w.scale)));
  const auto behind = quantize_behind(graph, node.outputs[0]);
  if (behind) {
    add_grid(patch, *behind->quantize, *byte_grid(graph, *behind->quantize), inputs);
    set_activation(graph, behind->activation, spec);
  }
  inputs.resize(QuantizedInputs::kWZero, kNoValue);
  inputs.push_back(patch.constant(name + ".w_zero", Tensor::scalar(uint8_t(of_w.zero_point))));
  patch.replace(behind ? behind->quantize->outputs[0] : node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "elements/bit_stream.h"
#include "partition/parts.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// A constant matrix B[k, n] of integers, whose columns are divided into blocks that share a scale.
struct BlockedMatrix {
  const Tensor *codes, *scales, *zeros;  ///< zeros may be null
  bool columns_first = false;            ///< stored as [n, k]
  int64_t block = 0;

  int64_t k() const { return codes->dim(columns_first ? 1 : 0); }
  int64_t n() const { return codes->dim(columns_first ? 0 : 1); }
  int64_t blocks() const { return ceil_div(k(), block); }
  int bits() const { return dtype_bits(codes->dtype()); }
  unsigned middle() const { return 1u << (bits() - 1); }
  /// The bits to flip so that signed codes and zero points become unsigned, both shifted by the same amount.
  unsigned flip() const { return is_signed() ? middle() : 0; }
  bool is_signed() const {
    return codes->dtype() == DType::kInt2 || codes->dtype() == DType::kInt4 || codes->dtype() == DType::kInt8;
  }

  std::ptrdiff_t place(std::ptrdiff_t row, std::ptrdiff_t rows, std::ptrdiff_t j) const {
    const std::ptrdiff_t columns = n();
    return columns_first ? j * rows + row : row * columns + j;
  }
  unsigned code(int64_t row, int64_t j) const { return code_at(codes->raw(), place(row, k(), j), bits()) ^ flip(); }
  unsigned zero(int64_t i, int64_t j) const {
    return (zeros ? code_at(zeros->raw(), place(i, blocks(), j), bits()) : 0u) ^ flip();
  }
};

bool holds_codes(DType dtype) { return is_integer(dtype) && dtype_bits(dtype) <= 8; }

bool all_finite(const Tensor& scales) {
  const float* x = scales.data<float>();
  return std::all_of(x, x + scales.size(), [](float scale) { return std::isfinite(scale); });
}

bool swaps_two(const Node& transpose) {
  const auto perm = transpose.spec.attr_or("perm", std::vector<int64_t>{1, 0});
  return perm == std::vector<int64_t>{1, 0};
}

std::optional<BlockedMatrix> blocked_matrix(const Graph& graph, const Node& matmul) {
  const Node* transpose = producer(graph, matmul, 1, "Transpose");
  if (transpose && !swaps_two(*transpose)) return std::nullopt;
  const Node* node =
      transpose ? producer(graph, *transpose, 0, "DequantizeLinear") : producer(graph, matmul, 1, "DequantizeLinear");
  if (!node) return std::nullopt;
  const auto constant = [&](int input) { return graph.constant_input(*node, input); };
  BlockedMatrix b{constant(0), constant(1), constant(2), transpose != nullptr, node->spec.attr_or("block_size", 0)};
  const int64_t axis = node->spec.attr_or("axis", 1);
  if (!b.codes || !b.scales || (!b.zeros && graph.input_fact(*node, 2).present())) return std::nullopt;
  if (b.codes->rank() != 2 || !holds_codes(b.codes->dtype())) return std::nullopt;
  if (b.scales->dtype() != DType::kFloat32 || !all_finite(*b.scales)) return std::nullopt;
  if (b.block < 16 || !std::has_single_bit(uint64_t(b.block))) return std::nullopt;
  if ((axis < 0 ? axis + 2 : axis) != (b.columns_first ? 1 : 0)) return std::nullopt;
  // The last block is padded, so the block size is no larger than needed.
  b.block = std::min(b.block, std::max<int64_t>(16, int64_t(std::bit_ceil(uint64_t(b.k())))));
  return b;
}

Tensor packed_codes(const BlockedMatrix& b) {
  Tensor packed(DType::kUint8, {b.n(), b.blocks(), checked_mul(b.block / 8, b.bits())});
  const int64_t column_bytes = checked_mul(packed.dim(1), packed.dim(2));
  for (int64_t j = 0; j < b.n(); ++j) {
    write_codes(packed.data<uint8_t>() + j * column_bytes, 0, checked_mul(b.blocks(), b.block), b.bits(),
                [&](int64_t row) { return row < b.k() ? b.code(row, j) : 0u; });
  }
  return packed;
}

Tensor column_scales(const BlockedMatrix& b) {
  Tensor scales(DType::kFloat32, {b.n(), b.blocks()});
  const float* const from = b.scales->data<float>();
  float* const to = scales.data<float>();
  for (int64_t i = 0; i < scales.size(); ++i) to[i] = from[b.place(i % b.blocks(), b.blocks(), i / b.blocks())];
  return scales;
}

/// The packed zero points; an empty tensor if all are in the middle of the range.
Tensor packed_zeros(const BlockedMatrix& b) {
  bool all_middle = true;
  Tensor zeros(DType::kUint8, {b.n(), ceil_div(checked_mul(b.blocks(), b.bits()), 8)});
  for (int64_t j = 0; j < b.n(); ++j) {
    write_codes(zeros.data<uint8_t>() + j * zeros.dim(1), 0, b.blocks(), b.bits(), [&](int64_t i) {
      all_middle &= b.zero(i, j) == b.middle();
      return b.zero(i, j);
    });
  }
  return all_middle ? Tensor() : zeros;
}

NodeSpec spec_of(const Node& matmul, const BlockedMatrix& b) {
  NodeSpec spec;
  spec.op_type = "MatMulNBits";
  spec.domain = kMicrosoft;
  spec.name = matmul.spec.name;
  spec.attributes = {{"K", b.k()}, {"N", b.n()}, {"bits", int64_t{b.bits()}}, {"block_size", b.block}};
  return spec;
}

}  // namespace

// MatMul(a, DequantizeLinear(b)) -> MatMulNBits(a, b) for a constant b of 2, 4 or 8 bits in blocks of a column,
// optionally with a Transpose in between. b is never widened as a whole.
LINNET_DEFINE_REWRITE(convert_matmul_to_nbits, "MatMul")(const Graph& graph, const Node& node) {
  if (graph.fact(node.outputs[0]).dtype != DType::kFloat32) return std::nullopt;
  const auto b = blocked_matrix(graph, node);
  if (!b || b->k() == 0 || b->n() == 0) return std::nullopt;
  Patch patch(graph);
  const std::string& name = node.spec.name;
  std::vector<ValueId> inputs{node.inputs[0], patch.constant(name + ".codes", packed_codes(*b)),
                              patch.constant(name + ".scales", column_scales(*b))};
  if (const Tensor zeros = packed_zeros(*b)) inputs.push_back(patch.constant(name + ".zero_points", zeros));
  patch.replace(node.outputs[0], patch.add(spec_of(node, *b), inputs));
  return patch;
}

}  // namespace linnet

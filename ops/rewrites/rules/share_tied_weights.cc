#include <algorithm>
#include <cstdint>
#include <vector>

#include "environment/run_environment.h"
#include "gemm/product_types.h"
#include "passes/computed_contents.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

constexpr size_t kLeastTableBytes = size_t{1} << 16;  // of a table: smaller ones may be in memory twice
constexpr int64_t kWidest = 1 << 14;  // elements of a row: of stored matrices, parts of rows are read separately
constexpr int64_t kFirstElements = 4, kFirstRows = 16, kPartValues = 1 << 20;

bool gathers_rows(const Graph& graph, const Node& node) {
  const Fact& table = graph.input_fact(node, 0);
  return is_op(node, "Gather") && node.spec.attr_or("axis", 0) % std::max<int64_t>(1, table.rank()) == 0;
}

/// Whether all readers of the table are Gathers of rows.
bool only_rows_are_read(const Graph& graph, ValueId table) {
  const std::vector<NodeId>& readers = graph.consumers(table);
  return !graph.is_output(table) && std::all_of(readers.begin(), readers.end(), [&](NodeId id) {
    return gathers_rows(graph, graph.node(id)) && graph.node(id).inputs[1] != table;
  });
}

/// Whether `y` is computed by transposing `x`.
bool is_transpose_of(const Tensor& y, const Tensor& x) {
  const ComputedContents* computed = ComputedContents::of(y);
  if (!computed || !is_op(computed->node(), "Transpose")) return false;
  const auto* perm = computed->node().spec.find<std::vector<int64_t>>("perm");
  const Tensor& from = computed->input(0);
  return from.address() == x.address() && from.shape() == x.shape() && (!perm || *perm == std::vector<int64_t>{1, 0});
}

/// The bytes of some rows and columns of a matrix.
std::vector<std::byte> part_of(const Tensor& x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const size_t pitch = dtype_bytes(x.dtype(), columns);
  std::vector<std::byte> part(dtype_bytes(x.dtype(), checked_mul(rows, columns)));
  std::span<std::byte> to = part;
  for (int64_t r = row; r < row + rows; ++r, to = to.subspan(pitch)) {
    StoredContents::read(x, to.first(pitch), dtype_bytes(x.dtype(), checked_mul(r, x.dim(1)) + column));
  }
  return part;
}

template <class T>
bool is_transposed(std::span<const std::byte> x, std::span<const std::byte> y, int64_t rows, int64_t columns) {
  const auto *a = reinterpret_cast<const T*>(x.data()), *b = reinterpret_cast<const T*>(y.data());
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      if (a[r * columns + c] != b[c * rows + r]) return false;
    }
  }
  return true;
}

/// Whether the first row of x and the first column of y begin with the same elements. This is cheap and rejects most
/// pairs; it runs whenever a graph is bound.
bool begin_alike(const Tensor& x, const Tensor& y) {
  const int64_t count = std::min(kFirstElements, x.dim(1));
  const auto a = part_of(x, 0, 1, 0, count);
  const size_t bytes = dtype_bytes(x.dtype(), 1);
  for (int64_t i = 0; i < count; ++i) {
    const auto b = part_of(y, i, 1, 0, 1);
    if (!std::ranges::equal(std::span(a).subspan(size_t(i) * bytes, bytes), b)) return false;
  }
  return true;
}

/// Whether y is x transposed, bit by bit. Compares part by part; the first part is small.
bool is_transposed(const Tensor& x, const Tensor& y) {
  if (x.size() > 0 && !begin_alike(x, y)) return false;
  int64_t rows = kFirstRows;
  for (int64_t r = 0; r < x.dim(0); r += rows, rows = kPartValues / x.dim(1)) {
    check_current();
    rows = std::min(rows, x.dim(0) - r);
    const auto a = part_of(x, r, rows, 0, x.dim(1)), b = part_of(y, 0, x.dim(1), r, rows);
    const auto compare = x.dtype() == DType::kFloat32 ? is_transposed<uint32_t> : is_transposed<uint16_t>;
    if (!compare(a, b, rows, x.dim(1))) return false;
  }
  return true;
}

/// Whether a product's weights are the transposed table. Does not compute tensors that are computed from others.
bool are_tied(const Tensor& table, const Tensor& weights) {
  if (weights.dtype() != table.dtype() || weights.shape() != Shape{table.dim(1), table.dim(0)}) return false;
  if (is_transpose_of(weights, table) || is_transpose_of(table, weights)) return true;
  return !ComputedContents::of(weights) && !ComputedContents::of(table) && is_transposed(table, weights);
}

/// The weights of a product that are the transposed table; kNoValue if no product has such.
ValueId transposed_weights(const Graph& graph, const Tensor& table) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (!is_op(node, "MatMul") && !is_op(node, "MatMul", kInternalDomain)) continue;
    const Tensor* w = graph.constant_input(node, 1);
    if (w && are_tied(table, *w)) return node.inputs[1];
  }
  return kNoValue;
}

}  // namespace

// Gather(table, i), MatMul(x, table^T) -> linnet::GatherColumns(i, table^T), MatMul(x, table^T). An embedding that is
// tied to the last product is in memory only once, as the product's weights.
LINNET_DEFINE_REWRITE(share_tied_weights, "Gather")(const Graph& graph, const Node& node) {
  const Tensor* table = graph.constant_input(node, 0);
  const bool fits = table && table->rank() == 2 && table->bytes() >= kLeastTableBytes && table->dim(1) <= kWidest &&
                    is_weight_type(table->dtype());
  if (!fits || !gathers_rows(graph, node) || !only_rows_are_read(graph, node.inputs[0])) return std::nullopt;
  const ValueId weights = transposed_weights(graph, *table);
  if (weights == kNoValue) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = internal_spec(node, "GatherColumns");
  spec.attributes = {};
  patch.replace(node.outputs[0], patch.add(spec, {node.inputs[1], weights}));
  return patch;
}

}  // namespace linnet

#include <algorithm>

#include "infer/infer.h"
#include "movement/axes.h"
#include "movement/strided_kernel.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Copies the input seen as [r0, d0, r1, d1, ...], where the repeats r have stride 0.
KernelPtr tile_kernel(const CompileInput& in) {
  const Shape x = in.shape(0), y = in.output_shape(0);
  if (x == y) return make_view();
  const std::vector<int64_t> dense = row_major_strides(x);
  std::vector<int64_t> extents, strides;
  for (int d = 0; d < x.rank(); ++d) {
    extents.insert(extents.end(), {y[d] / std::max<int64_t>(1, x[d]), x[d]});
    strides.insert(strides.end(), {0, dense[size_t(d)]});
  }
  return make_strided_kernel(StridedCopy(in.dtype(0), extents, strides, row_major_strides(extents)));
}

Dim repeated(const Dim& dim, const Dim& repeats) {
  if (repeats.known() && repeats.value() < 0) {
    throw Error(ErrorKind::kShape, str("repeats must not be negative, got ", repeats));
  }
  return checked_mul(dim, repeats);
}

/// Tile: the input repeated repeats[d] times along each axis d.
/// input, output: any dtype of a byte or more.
/// repeats: int64 [r].
/// Source: https://onnx.ai/onnx/operators/onnx__Tile.html
class Tile final : public Op {
 public:
  explicit Tile(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    const Fact& x = in[0];
    const auto repeats = determined_ints(in[1]);
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    if (!repeats) return {Fact(x.dtype, Dims(x.dims->size()))};
    if (int64_t(repeats->size()) != x.rank()) {
      throw Error(ErrorKind::kShape, str("repeats must have one value per axis of ", x, ", got ", repeats->size()));
    }
    Dims dims;
    for (int d = 0; d < x.rank(); ++d) dims.push_back(repeated(x.dim(d), (*repeats)[size_t(d)]));
    return {Fact(x.dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput& in) const override { return tile_kernel(in); }
  std::vector<int> value_inputs() const override { return {1}; }
};

/// The number in a constant scalar, or nullopt if it is not constant. Throws Error(kShape) unless it has one element.
std::optional<int64_t> constant_count(const Fact& fact) {
  const auto counts = constant_counts(fact);
  if (counts && counts->size() != 1) throw Error(ErrorKind::kShape, str("expected one number, got ", fact));
  return counts ? std::optional(counts->front()) : std::nullopt;
}

/// Tile of opset 1: `tiles` repeats along one `axis`, both scalars of the input's dtype.
/// Source: https://github.com/onnx/onnx/blob/main/docs/Changelog.md#Tile-1
class TileAxis final : public Op {
 public:
  explicit TileAxis(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    const Fact& x = in[0];
    const auto tiles = constant_count(in[1]), axis = constant_count(in[2]);
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    if (!tiles || !axis) return {Fact(x.dtype, Dims(x.dims->size()))};
    Dims dims = *x.dims;
    Dim& dim = dims[size_t(normalize_axis(*axis, x.rank()))];
    dim = repeated(dim, *tiles);
    return {Fact(x.dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput& in) const override { return tile_kernel(in); }
  std::vector<int> value_inputs() const override { return {1, 2}; }
};

}  // namespace

LINNET_REGISTER(tile)(Registry& registry) {
  registry.add<TileAxis>("Tile", {.since = 1});
  registry.add<Tile>("Tile", {.since = 6});
}

}  // namespace linnet

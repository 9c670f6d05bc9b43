#include "infer/infer.h"
#include "movement/transpose_plan.h"
#include "registration.h"

namespace linnet {
namespace {

int64_t read_block(const NodeSpec& node) {
  const int64_t block = node.attr<int64_t>("blocksize");
  if (block < 1 || block > (int64_t{1} << 15)) {
    throw Error(ErrorKind::kModel, str("blocksize must be in [1, 32768], got ", block));
  }
  return block;
}

Dim divided(const Dim& dim, int64_t divisor, const char* what) {
  if (dim.known() && dim.value() % divisor != 0) {
    throw Error(ErrorKind::kShape, str(what, " must be a multiple of ", divisor, ", got ", dim));
  }
  return floor_div(dim, divisor);
}

/// Returns true for mode CRD, false for DCR.
bool read_depth_first(const NodeSpec& node) {
  const std::string mode = node.attr_or("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw Error(ErrorKind::kModel, str("mode must be DCR or CRD, got ", mode));
  return mode == "CRD";
}

/// DepthToSpace: blocks of channels become blocks of pixels. [N,C,H,W] to [N,C/b/b,H*b,W*b] for blocksize b.
/// mode: with DCR, channels are (row, column, depth); with CRD, (depth, row, column).
/// Accepts any dtype of a byte or more. In domain "linnet", the layout is channels-last: [N,H,W,C] to
/// [N,H*b,W*b,C/b/b].
/// Source: https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
class DepthToSpace final : public Op {
 public:
  explicit DepthToSpace(const NodeSpec& node)
      : block_(read_block(node)),
        depth_first_(read_depth_first(node)),
        channels_last_(node.domain == kInternalDomain) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rank(in[0], 4, "input");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, Dims(4))};
    const Dims& x = *in[0].dims;
    const size_t first = channels_last_ ? 1 : 2;
    const Dim channels = divided(x[channels_last_ ? 3 : 1], checked_mul(block_, block_), "the number of channels");
    const Dim height = checked_mul(x[first], block_), width = checked_mul(x[first + 1], block_);
    if (channels_last_) return {Fact(in[0].dtype, Dims{x[0], height, width, channels})};
    return {Fact(in[0].dtype, Dims{x[0], channels, height, width})};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int64_t depth = x[channels_last_ ? 3 : 1] / (checked_mul(block_, block_));
    if (channels_last_) {
      const Shape blocks = depth_first_ ? Shape{x[0], x[1], x[2], depth, block_, block_}
                                        : Shape{x[0], x[1], x[2], block_, block_, depth};
      return make_transpose(in.dtype(0), blocks, depth_first_ ? kLastDepthFirst : kLastDepthLast, in.isa());
    }
    if (depth_first_) {
      return make_transpose(in.dtype(0), {x[0], depth, block_, block_, x[2], x[3]}, kDepthFirst, in.isa());
    }
    return make_transpose(in.dtype(0), {x[0], block_, block_, depth, x[2], x[3]}, kDepthLast, in.isa());
  }

 private:
  static constexpr int kDepthFirst[] = {0, 1, 4, 2, 5, 3}, kDepthLast[] = {0, 3, 4, 1, 5, 2};
  static constexpr int kLastDepthFirst[] = {0, 1, 4, 2, 5, 3}, kLastDepthLast[] = {0, 1, 3, 2, 4, 5};

  int64_t block_;
  bool depth_first_, channels_last_;
};

/// SpaceToDepth: blocks of pixels become blocks of channels. [N,C,H,W] to [N,C*b*b,H/b,W/b] for blocksize b.
/// mode: with DCR, channels become (row, column, depth); with CRD, (depth, row, column).
/// Accepts any dtype of a byte or more.
/// Source: https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
class SpaceToDepth final : public Op {
 public:
  explicit SpaceToDepth(const NodeSpec& node) : block_(read_block(node)), depth_first_(read_depth_first(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rank(in[0], 4, "input");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, Dims(4))};
    const Dims& x = *in[0].dims;
    return {Fact(in[0].dtype, Dims{x[0], checked_mul(x[1], checked_mul(block_, block_)),
                                   divided(x[2], block_, "the height"), divided(x[3], block_, "the width")})};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const Shape blocks{x[0], x[1], x[2] / block_, block_, x[3] / block_, block_};
    return make_transpose(in.dtype(0), blocks, depth_first_ ? kDepthFirst : kDepthLast, in.isa());
  }

 private:
  static constexpr int kDepthFirst[] = {0, 1, 3, 5, 2, 4}, kDepthLast[] = {0, 3, 5, 1, 2, 4};

  int64_t block_;
  bool depth_first_;
};

}  // namespace

LINNET_REGISTER(depth_to_space)(Registry& registry) {
  registry.add<DepthToSpace>("DepthToSpace", {.since = 1});
  registry.add<DepthToSpace>("DepthToSpace", {.since = 1, .domain = kInternalDomain});
  registry.add<SpaceToDepth>("SpaceToDepth", {.since = 1});
}

}  // namespace linnet

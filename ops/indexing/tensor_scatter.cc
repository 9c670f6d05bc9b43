#include "elements/sub_byte_elements.h"
#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// Writes an update [prefixes, steps, row] into a cache [prefixes, length, row]. Each sample has `per_batch` prefixes.
class TensorScatterKernel final : public Kernel {
 public:
  TensorScatterKernel(const CompileInput& in, int axis, bool circular)
      : copy_(copy_row_of(in.dtype(0))), circular_(circular) {
    const Shape cache = in.shape(0);
    prefixes_ = cache.elements(0, axis);
    per_batch_ = cache.elements(1, axis);
    length_ = cache[axis];
    steps_ = in.shape(1)[axis];
    row_ = cache.elements(axis + 1, cache.rank());
    row_bytes_ = row_ * element_bytes(in.dtype(0));
  }

  void run(KernelContext& context) const override {
    const Tensor& begins = context.input(2);
    const int64_t* begin = begins ? begins.data<int64_t>() : nullptr;
    for (int64_t b = 0; begin && b < begins.size(); ++b) check_begin(begin[b]);
    if (context.input(0).raw() != context.output(0).raw()) {
      copy_tensor(context.input(0), context.output(0), context.executor());
    }
    const auto* update = static_cast<const std::byte*>(context.input(1).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    Checkpoints checkpoints;
    for (int64_t p = 0; p < prefixes_; ++p) {
      const int64_t first = begin ? begin[p / per_batch_] : 0;
      for (int64_t s = 0; s < steps_; ++s, update += row_bytes_) {
        const int64_t target = p * length_ + (first + s) % length_;
        copy_(update, 1, y + target * row_bytes_, 1, row_);
        checkpoints.add(16 + row_);
      }
    }
  }
  int in_place(int) const override { return 0; }

 private:
  void check_begin(int64_t begin) const {
    const int64_t most = circular_ ? INT64_MAX - steps_ : length_ - steps_;
    if (begin < 0 || begin > most) {
      throw Error(ErrorKind::kShape, str("write_indices must be in [0,", most, "], got ", begin));
    }
  }

  CopyRow copy_;
  bool circular_;
  int64_t prefixes_, per_batch_, length_, steps_, row_, row_bytes_;
};

/// TensorScatter: the cache with `update` written into it along `axis`, from write_indices[b] on for sample b. In mode
/// "circular", positions past the end continue at the beginning.
/// past_cache, update, present_cache: one dtype, equal dims except that of the axis, where the update's is not larger.
/// write_indices: int64 [batch], 0 if omitted, checked when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__TensorScatter.html
class TensorScatter final : public Op {
 public:
  explicit TensorScatter(const NodeSpec& node)
      : axis_(node.attr_or("axis", -2)), circular_(node.attr_or("mode", "linear") == "circular") {
    const std::string mode = node.attr_or("mode", "linear");
    if (mode != "linear" && mode != "circular") {
      throw Error(ErrorKind::kModel, str("mode must be linear or circular, got '", mode, "'"));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    require_same_dtype(in[0], in[1], "past_cache and update");
    if (in[0].has_rank()) require_update_fits(in[0], in[1]);
    if (has_input(in, 2)) {
      require_dtype(in[2], DType::kInt64, "write_indices");
      require_rank(in[2], 1, "write_indices");
      if (in[2].has_rank() && in[0].has_rank()) merge_dim(in[0].dim(0), in[2].dim(0), "the batch and write_indices");
    }
    return same_as(in[0]);
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_scatter(v, 1); }

  bool prefix(Prefix& prefix) const override {
    const int axis = prefix.input_axis(0);
    return axis >= 0 && axis == normalize_axis(axis_, prefix.input(0).rank()) && prefix.input(1).concrete() &&
           !circular_ && prefix.carry();
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (has_sub_byte(in)) return compile_widened(in, [this](const CompileInput& widened) { return compile(widened); });
    return std::make_unique<TensorScatterKernel>(in, normalize_axis(axis_, in.rank(0)), circular_);
  }

 private:
  void require_update_fits(const Fact& cache, const Fact& update) const {
    const int axis = normalize_axis(axis_, cache.rank());
    if (axis == 0) throw Error(ErrorKind::kShape, "axis must not be that of the batch, 0");
    if (!update.has_rank()) return;
    require_rank(update, cache.rank(), "update");
    for (int d = 0; d < cache.rank(); ++d) {
      const Dim &most = cache.dim(d), &got = update.dim(d);
      learn_at_least(most, got);
      if (d != axis) merge_dim(most, got, str("dim ", d, " of past_cache and update"));
      if (most.known() && got.known() && got.value() > most.value()) {
        throw Error(ErrorKind::kShape, str("dim ", d, " of update must be at most ", most, ", got ", got));
      }
    }
  }

  int64_t axis_;
  bool circular_;
};

}  // namespace

LINNET_REGISTER(tensor_scatter)(Registry& registry) { registry.add<TensorScatter>("TensorScatter", {.since = 24}); }

}  // namespace linnet

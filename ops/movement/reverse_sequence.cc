#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Reverses x [d0, d1, row], where one of d0 and d1 is the time and the other the batch.
class ReverseSequenceKernel final : public Kernel {
 public:
  ReverseSequenceKernel(DType dtype, const Shape& x, bool time_first)
      : copy_(copy_row_of(dtype)), x_(x), time_first_(time_first), row_(x.elements(2, x.rank())) {
    row_bytes_ = row_ * element_bytes(dtype);
  }

  void run(KernelContext& context) const override {
    const int64_t* lengths = context.input(1).data<int64_t>();
    const int64_t batch = x_[time_first_ ? 1 : 0], time = x_[time_first_ ? 0 : 1];
    for (int64_t b = 0; b < batch; ++b) {
      if (lengths[b] < 0 || lengths[b] > time) {
        throw Error(ErrorKind::kShape, str("sequence_lens must be in [0,", time, "], got ", lengths[b]));
      }
    }
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    parallel_items(context.executor(), x_[0] * x_[1], row_, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) copy_(x + source(i, lengths) * row_bytes_, 1, y + i * row_bytes_, 1, row_);
    });
  }

 private:
  std::ptrdiff_t source(int64_t i, const int64_t* lengths) const {
    const int64_t first = i / x_[1], second = i % x_[1];
    const int64_t t = time_first_ ? first : second, length = lengths[time_first_ ? second : first];
    const int64_t from = t < length ? length - 1 - t : t;
    return time_first_ ? from * x_[1] + second : first * x_[1] + from;
  }

  CopyRow copy_;
  Shape x_;
  bool time_first_;
  int64_t row_, row_bytes_ = 0;
};

/// ReverseSequence: for each b of the batch axis, the first sequence_lens[b] elements along the time axis in reverse
/// order. The other elements are unchanged.
/// input, Y: any dtype of a byte or more, rank 2 or more.
/// sequence_lens: int64 [batch].
/// time_axis, batch_axis: 0 and 1 in some order.
/// Source: https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
class ReverseSequence final : public Op {
 public:
  explicit ReverseSequence(const NodeSpec& node) : time_axis_(node.attr_or("time_axis", 0)) {
    const int64_t batch_axis = node.attr_or("batch_axis", 1);
    if (time_axis_ < 0 || time_axis_ > 1 || batch_axis != 1 - time_axis_) {
      throw Error(ErrorKind::kModel,
                  str("time_axis and batch_axis must be 0 and 1, got ", time_axis_, " and ", batch_axis));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_rank_at_least(in[0], 2, "input");
    require_dtype(in[1], DType::kInt64, "sequence_lens");
    require_rank(in[1], 1, "sequence_lens");
    if (in[0].has_rank() && in[1].has_rank()) {
      merge_dim(in[0].dim(int(1 - time_axis_)), in[1].dim(0), "the batch and the dim of sequence_lens");
    }
    return same_as(in[0]);
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ReverseSequenceKernel>(in.dtype(0), in.shape(0), time_axis_ == 0);
  }

 private:
  int64_t time_axis_;
};

}  // namespace

LINNET_REGISTER(reverse_sequence)(Registry& registry) {
  registry.add<ReverseSequence>("ReverseSequence", {.since = 10});
}

}  // namespace linnet

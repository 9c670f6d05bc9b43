#include <algorithm>

#include "environment/run_environment.h"
#include "indexing/indices.h"
#include "movement/axes.h"
#include "movement/strided_copy.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "registration.h"
#include "sequence/sequence.h"
#include "tensor/counted_memory.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

class SplitToSequenceKernel final : public Kernel {
 public:
  SplitToSequenceKernel(int axis, bool keep_axis) : axis_(axis), keep_axis_(keep_axis) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    Sequence& y = output_sequence(context, 0);
    y.elements.clear();
    const CountedVector<int64_t> sizes = part_sizes(context, x.dim(axis_));
    CountedMemory counted;  // Counts the memory until the engine counts the elements.
    counted.add(size_t(checked_mul(std::ssize(sizes), sizeof(Tensor))));
    y.elements.reserve(sizes.size());
    int64_t begin = 0;
    Checkpoints checkpoints;
    for (const int64_t size : sizes) {
      checkpoints.add(kPartWork);
      y.elements.push_back(part(x, begin, size, context.executor()));
      begin += size;
    }
  }

 private:
  static constexpr int64_t kPartWork = 512;

  static CountedVector<int64_t> part_sizes(KernelContext& context, int64_t total) {
    const Tensor& split = context.input(1);
    CountedVector<int64_t> given{1};
    if (split) {
      const Indices sizes(split);
      given.resize(size_t(split.size()));
      for (int64_t i = 0; i < split.size(); ++i) given[size_t(i)] = sizes[i];
    }
    if (std::any_of(given.begin(), given.end(), [](int64_t size) { return size < 0; })) {
      throw Error(ErrorKind::kShape, "split must not be negative");
    }
    if (!split || split.rank() == 0) return equal_parts(given[0], total);
    int64_t sum = 0;
    for (const int64_t size : given) sum = checked_add(sum, size);
    if (sum != total) throw Error(ErrorKind::kShape, str("split adds up to ", sum, ", the axis has ", total));
    return given;
  }

  // A tensor without elements may have very many parts.
  static CountedVector<int64_t> equal_parts(int64_t size, int64_t total) {
    if (size == 0) throw Error(ErrorKind::kShape, "split must be positive");
    const int64_t parts = ceil_div(total, size);
    CountedVector<int64_t> sizes;
    sizes.reserve(size_t(parts));
    for (int64_t done = 0; done < total; done += sizes.back()) sizes.push_back(std::min(size, total - done));
    return sizes;
  }

  Tensor part(const Tensor& x, int64_t begin, int64_t size, Executor& executor) const {
    Shape shape = x.shape();
    shape[axis_] = size;
    const std::vector<int64_t> strides = row_major_strides(x.shape());
    Tensor y(x.dtype(), shape);
    StridedCopy(x.dtype(), shape.dims(), strides, row_major_strides(shape), begin * strides[size_t(axis_)])
        .run(x, y, executor);
    return keep_axis_ ? y : y.reshaped(without_axis(shape, axis_));
  }

  int axis_;
  bool keep_axis_;
};

/// SplitToSequence: cuts a tensor along `axis` into a sequence.
/// split: an integer of shape [], the size of every part (the last may be smaller), or of shape [n], the size of each.
/// If omitted, parts have size 1, and keepdims = 0 drops the axis.
/// Source: https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
class SplitToSequence final : public Op {
 public:
  explicit SplitToSequence(const NodeSpec& node)
      : axis_(node.attr_or("axis", 0)), keepdims_(node.attr_or("keepdims", true)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 2);
    if (has_input(in, 1)) check_split(in[1]);
    Fact element = in[0];
    if (!element.has_rank()) return {Fact::sequence(element)};
    const int axis = normalize_axis(axis_, element.rank());
    (*element.dims)[size_t(axis)] = has_input(in, 1) ? Dim() : Dim(1);
    if (!has_input(in, 1) && !keepdims_) element.dims->erase(element.dims->begin() + axis);
    return {Fact::sequence(element)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<SplitToSequenceKernel>(normalize_axis(axis_, in.rank(0)), keepdims_ || in.has(1));
  }

 private:
  static void check_split(const Fact& split) {
    constexpr DType kInts[] = {DType::kInt32, DType::kInt64};
    require_dtype_in(split, kInts, "split");
    if (split.has_rank() && split.rank() > 1) {
      throw Error(ErrorKind::kShape, str("split must have rank 0 or 1, got ", split));
    }
  }

  int64_t axis_;
  bool keepdims_;
};

}  // namespace

LINNET_REGISTER(split_to_sequence)(Registry& r) { r.add<SplitToSequence>("SplitToSequence", {.since = 11}); }

}  // namespace linnet

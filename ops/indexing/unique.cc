#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "environment/run_environment.h"
#include "indexing/first_numbers.h"
#include "indexing/order_key.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/order.h"
#include "linnet/tensor.h"
#include "movement/copy.h"
#include "movement/slice_groups.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

/// Replaces each number in `keys` by the rank of its string. `firsts` contains the position of the first occurrence of
/// each of the `count` strings.
void rank(const std::string* x, const int64_t* firsts, int64_t count, int64_t n, uint64_t* keys,
          Checkpoints& checkpoints) {
  Tensor order_tensor(DType::kInt64, Shape{count}), ranks_tensor(DType::kUint64, Shape{count});
  int64_t* order = order_tensor.data<int64_t>();
  std::iota(order, order + count, int64_t{0});
  const auto less = [&](int64_t a, int64_t b) {
    const std::string &left = x[firsts[a]], &right = x[firsts[b]];
    checkpoints.add(int64_t(std::min(left.size(), right.size())) / 8);
    return left < right;
  };
  checkpoints.sort(order, order + count, less, 64);
  uint64_t* ranks = ranks_tensor.data<uint64_t>();
  for (int64_t i = 0; i < count; ++i) ranks[order[i]] = uint64_t(i);
  checkpoints.in_parts(n, 2, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) keys[i] = ranks[keys[i]];
  });
}

/// Writes the keys of strings. Equal strings have equal keys. Keys order as the strings do if `sorted`, else by first
/// occurrence.
void string_keys(const std::string* x, int64_t n, bool sorted, uint64_t* keys, Checkpoints& checkpoints) {
  Tensor firsts_tensor(DType::kInt64, Shape{n});
  int64_t* firsts = firsts_tensor.data<int64_t>();
  const auto hash = [&, seeded = SeededHash()](int64_t i) {
    checkpoints.add(16 + int64_t(x[i].size()) / 4);
    return seeded(x[i]);
  };
  const auto equal = [&](int64_t i, int64_t k) {
    checkpoints.add(int64_t(x[i].size()) / 8);
    return x[i] == x[k];
  };
  const int64_t count = number_by_first(n, hash, equal, keys, firsts, checkpoints);
  if (sorted) rank(x, firsts, count, n, keys, checkpoints);
}

class UniqueKernel final : public Kernel {
 public:
  UniqueKernel(const CompileInput& in, std::optional<int> axis, bool sorted)
      : dtype_(in.dtype(0)), x_(in.shape(0)), axis_(axis), sorted_(sorted) {
    const bool complex = dtype_ == DType::kComplex64 || dtype_ == DType::kComplex128;
    const DType part = dtype_ == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    parts_ = complex ? 2 : 1;
    if (dtype_ != DType::kString) keys_ = order_keys_of(complex ? part : dtype_, kernels_for<OrderKernels>(in.isa()));
    outer_ = axis ? x_.elements(0, *axis) : 1;
    dim_ = axis ? x_[*axis] : x_.elements();
    inner_ = axis ? x_.elements(*axis + 1, x_.rank()) : 1;
    for (int i = 0; i < 4; ++i) wanted_[i] = in.has_output(i);
  }

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    context.check_memory(working_bytes());
    Checkpoints checkpoints;
    Tensor keys = slice_keys(x, checkpoints);
    const Tensor inverse = wanted_[2] ? context.output(2) : Tensor();
    const SliceGroups groups = sorted_ ? groups_by_key(keys, dim_, slice_elements(), inverse, checkpoints)
                                       : groups_by_first(keys, dim_, slice_elements(), inverse, checkpoints);
    if (wanted_[0]) write_slices(x, groups, context, checkpoints);
    if (wanted_[1]) write(groups.first, groups.count, context.allocate_output(1, Shape{groups.count}));
    if (wanted_[3]) write(groups.counts, groups.count, context.allocate_output(3, Shape{groups.count}));
  }

 private:
  static void write(const Tensor& from, int64_t n, Tensor& to) {
    std::copy_n(from.data<int64_t>(), n, to.data<int64_t>());
  }

  int64_t slice_elements() const { return outer_ * inner_ * parts_; }

  /// The bytes of the keys, in two orders, and of the groups of slices. They must be checked because a tensor without
  /// elements may have very many slices.
  size_t working_bytes() const {
    const int64_t keys = checked_mul(checked_mul(2, parts_), x_.elements());
    return dtype_bytes(DType::kInt64, checked_add(keys, checked_mul(kGroupingElements, dim_)));
  }

  void number_keys(const Tensor& x, int64_t n, uint64_t* keys, Checkpoints& checkpoints) const {
    const auto* from = static_cast<const std::byte*>(x.raw());
    const int64_t width = element_bytes(dtype_) / parts_;
    checkpoints.in_parts(
        n, 2, [&](int64_t begin, int64_t end) { keys_(from + begin * width, 1, keys + begin, end - begin); });
  }

  /// Returns the keys of the elements; those of one slice are contiguous.
  Tensor slice_keys(const Tensor& x, Checkpoints& checkpoints) const {
    const int64_t n = x.size() * parts_, row = inner_ * parts_;
    Tensor flat(DType::kUint64, Shape{n});
    if (n == 0) return flat;
    uint64_t* from = flat.data<uint64_t>();
    if (keys_) number_keys(x, n, from, checkpoints);
    if (!keys_) string_keys(x.data<std::string>(), n, sorted_, from, checkpoints);
    if (outer_ == 1) return flat;
    Tensor keys(DType::kUint64, Shape{n});
    checkpoints.in_parts(checked_mul(outer_, dim_), row, [&](int64_t slice, int64_t end) {
      for (; slice < end; ++slice) {
        std::copy_n(from + slice * row, row,
                    keys.data<uint64_t>() + slice % dim_ * slice_elements() + slice / dim_ * row);
      }
    });
    return keys;
  }

  void write_slices(const Tensor& x, const SliceGroups& groups, KernelContext& context,
                    Checkpoints& checkpoints) const {
    Shape shape = axis_ ? x_ : Shape{groups.count};
    if (axis_) shape[*axis_] = groups.count;
    const CopyRow copy = copy_row_of(dtype_);
    const int64_t bytes = inner_ * element_bytes(dtype_);
    const auto* from = static_cast<const std::byte*>(x.raw());
    Tensor& y = context.allocate_output(0, shape);
    if (y.size() == 0) return;
    auto* to = static_cast<std::byte*>(y.raw());
    for (int64_t o = 0; o < outer_; ++o) {
      for (int64_t g = 0; g < groups.count; ++g, to += bytes) {
        copy(from + (o * dim_ + groups.first.data<int64_t>()[g]) * bytes, 1, to, 1, inner_);
        checkpoints.add(bytes);
      }
    }
  }

  DType dtype_;
  Shape x_;
  std::optional<int> axis_;
  bool sorted_;
  OrderKeys keys_;
  int64_t outer_, dim_, inner_;
  int64_t parts_;  ///< The number of real numbers in an element.
  bool wanted_[4];
};

/// Unique: the distinct elements of X, or the distinct slices along `axis` if given, sorted or in the order of their
/// first occurrence. Further outputs are the index of the first occurrence, the group of each element and the size of
/// each group. All NaNs are equal.
/// X, Y: numbers (complex ones ordered by their real, then their imaginary part), bool, string.
/// indices, inverse_indices, counts: int64, one-dimensional.
/// The number of distinct elements is known only when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__Unique.html
class Unique final : public Op {
 public:
  explicit Unique(const NodeSpec& node) : sorted_(node.attr_or("sorted", true)) {
    if (const auto* axis = node.find<int64_t>("axis")) axis_ = *axis;
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    const Fact& x = in[0];
    const Fact open(DType::kInt64, Dims(1));
    if (!axis_) {
      const Dim elements = x.concrete() ? Dim(x.shape().elements()) : Dim();
      return {Fact(x.dtype, Dims(1)), open, Fact(DType::kInt64, Dims{elements}), open};
    }
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt), open, open, open};
    const auto axis = size_t(normalize_axis(*axis_, x.rank()));
    Dims dims = *x.dims;
    dims[axis] = Dim();
    return {Fact(x.dtype, dims), open, Fact(DType::kInt64, Dims{(*x.dims)[axis]}), open};
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::optional<int> axis;
    if (axis_) axis = normalize_axis(*axis_, in.rank(0));
    return std::make_unique<UniqueKernel>(in, axis, sorted_);
  }

 private:
  std::optional<int64_t> axis_;
  bool sorted_;
};

}  // namespace

LINNET_REGISTER(unique)(Registry& registry) { registry.add<Unique>("Unique", {.since = 11}); }

}  // namespace linnet

#include <algorithm>
#include <numeric>

#include "environment/run_environment.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "tensor/copy.h"
#include "tensor/order_key.h"

namespace linnet {
namespace {

/// Keys of strings that order as they do: their ranks.
void string_keys(const std::string* x, int64_t n, uint64_t* keys, Checkpoints& checkpoints) {
  Tensor order_tensor(DType::kInt64, Shape{n});
  int64_t* order = order_tensor.data<int64_t>();
  std::iota(order, order + n, int64_t{0});
  const auto less = [&](int64_t a, int64_t b) {
    checkpoints.add(int64_t(std::min(x[a].size(), x[b].size())) / 8);
    return x[a] < x[b];
  };
  checkpoints.sort(order, order + n, less, 64);
  uint64_t rank = 0;
  checkpoints.in_parts(n, 64, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (i > 0 && x[order[i - 1]] < x[order[i]]) ++rank;
      keys[order[i]] = rank;
    }
  });
}

/// The slices of a tensor [outer, dim, inner] along its middle axis, in groups of equal ones.
struct Groups {
  Tensor first;    ///< int64 [dim], the first slice of each of the `count` groups
  Tensor counts;   ///< int64 [dim], slices in each group
  Tensor inverse;  ///< int64 [dim], the group of each slice
  int64_t count = 0;
};

class UniqueKernel final : public Kernel {
 public:
  UniqueKernel(const CompileInput& in, std::optional<int> axis, bool sorted)
      : dtype_(in.dtype(0)), x_(in.shape(0)), axis_(axis), sorted_(sorted) {
    const bool complex = dtype_ == DType::kComplex64 || dtype_ == DType::kComplex128;
    const DType part = dtype_ == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    parts_ = complex ? 2 : 1;
    if (dtype_ != DType::kString) keys_ = order_keys_of(complex ? part : dtype_);
    outer_ = axis ? x_.elements(0, *axis) : 1;
    dim_ = axis ? x_[*axis] : x_.elements();
    inner_ = axis ? x_.elements(*axis + 1, x_.rank()) : 1;
    for (int i = 0; i < 4; ++i) wanted_[i] = in.has_output(i);
  }

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    context.check_memory(working_bytes());
    Checkpoints checkpoints;
    Groups groups = group(slice_keys(x, checkpoints), checkpoints);
    if (!sorted_) reorder_by_first(groups, checkpoints);
    if (wanted_[0]) write_slices(x, groups, context, checkpoints);
    if (wanted_[1]) write(groups.first, groups.count, context.allocate_output(1, Shape{groups.count}));
    if (wanted_[2]) write(groups.inverse, dim_, context.output(2));
    if (wanted_[3]) write(groups.counts, groups.count, context.allocate_output(3, Shape{groups.count}));
  }

 private:
  static void write(const Tensor& from, int64_t n, Tensor& to) {
    std::copy_n(from.data<int64_t>(), n, to.data<int64_t>());
  }

  int64_t slice_elements() const { return outer_ * inner_ * parts_; }

  /// Of the keys, in two orders, of those that are sorted, and of the slices' groups: a tensor without elements may
  /// have very many slices.
  size_t working_bytes() const {
    const int64_t keys = checked_mul(checked_mul(2, parts_), x_.elements());
    return dtype_bytes(DType::kInt64, checked_add(keys, checked_mul(6, dim_)));
  }

  void number_keys(const Tensor& x, int64_t n, uint64_t* keys, Checkpoints& checkpoints) const {
    const auto* from = static_cast<const std::byte*>(x.raw());
    const int64_t width = element_bytes(dtype_) / parts_;
    checkpoints.in_parts(
        n, 2, [&](int64_t begin, int64_t end) { keys_(from + begin * width, 1, keys + begin, end - begin); });
  }

  /// Keys of the elements, those of one slice side by side.
  Tensor slice_keys(const Tensor& x, Checkpoints& checkpoints) const {
    const int64_t n = x.size() * parts_, row = inner_ * parts_;
    Tensor flat(DType::kUint64, Shape{n}), keys(DType::kUint64, Shape{n});
    if (n == 0) return keys;
    uint64_t* from = flat.data<uint64_t>();
    if (keys_) number_keys(x, n, from, checkpoints);
    if (!keys_) string_keys(x.data<std::string>(), n, from, checkpoints);
    checkpoints.in_parts(checked_mul(outer_, dim_), row, [&](int64_t slice, int64_t end) {
      for (; slice < end; ++slice) {
        std::copy_n(from + slice * row, row,
                    keys.data<uint64_t>() + slice % dim_ * slice_elements() + slice / dim_ * row);
      }
    });
    return keys;
  }

  Groups group(const Tensor& keys, Checkpoints& checkpoints) const {
    const Shape n{dim_};
    Groups groups{Tensor(DType::kInt64, n), Tensor(DType::kInt64, n), Tensor(DType::kInt64, n)};
    Tensor order_tensor(DType::kInt64, n);
    int64_t* order = order_tensor.data<int64_t>();
    const auto slice = [&](int64_t i) { return keys.data<uint64_t>() + i * slice_elements(); };
    const auto compare = [&](int64_t a, int64_t b) {
      checkpoints.add(slice_elements());
      return std::lexicographical_compare_three_way(slice(a), slice(a) + slice_elements(), slice(b),
                                                    slice(b) + slice_elements());
    };
    if (slice_elements() == 1) {
      sort_elements(keys.data<uint64_t>(), order, checkpoints);
    } else {
      std::iota(order, order + dim_, int64_t{0});
      const auto less = [&](int64_t a, int64_t b) {
        const auto result = compare(a, b);
        return result < 0 || (result == 0 && a < b);
      };
      checkpoints.sort(order, order + dim_, less, 16);
    }
    for (int64_t i = 0; i < dim_; ++i) {
      checkpoints.add(16);
      if (i == 0 || compare(order[i - 1], order[i]) != 0) {
        groups.first.data<int64_t>()[groups.count] = order[i];
        groups.counts.data<int64_t>()[groups.count++] = 0;
      }
      ++groups.counts.data<int64_t>()[groups.count - 1];
      groups.inverse.data<int64_t>()[order[i]] = groups.count - 1;
    }
    return groups;
  }

  /// Keys that lie beside their indices are compared several times faster than those that indices point to.
  void sort_elements(const uint64_t* keys, int64_t* order, Checkpoints& checkpoints) const {
    Tensor pairs(DType::kUint64, Shape{checked_mul(2, dim_)});
    auto* elements = reinterpret_cast<KeyedIndex*>(pairs.data<uint64_t>());
    for (int64_t i = 0; i < dim_; ++i) elements[i] = {keys[i], i};
    checkpoints.sort(elements, elements + dim_);
    for (int64_t i = 0; i < dim_; ++i) order[i] = elements[i].index;
  }

  void reorder_by_first(Groups& groups, Checkpoints& checkpoints) const {
    Groups sorted{groups.first.clone(), groups.counts.clone(), groups.inverse, groups.count};
    const int64_t* first = groups.first.data<int64_t>();
    Tensor order_tensor(DType::kInt64, Shape{groups.count}), place_tensor(DType::kInt64, Shape{groups.count});
    int64_t *order = order_tensor.data<int64_t>(), *place = place_tensor.data<int64_t>();
    std::iota(order, order + groups.count, int64_t{0});
    checkpoints.sort(order, order + groups.count, [&](int64_t a, int64_t b) { return first[a] < first[b]; });
    checkpoints.in_parts(groups.count, 16, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        place[order[i]] = i;
        sorted.first.data<int64_t>()[i] = first[order[i]];
        sorted.counts.data<int64_t>()[i] = groups.counts.data<int64_t>()[order[i]];
      }
    });
    int64_t* inverse = sorted.inverse.data<int64_t>();
    checkpoints.in_parts(dim_, 8, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) inverse[i] = place[inverse[i]];
    });
    groups = sorted;
  }

  void write_slices(const Tensor& x, const Groups& groups, KernelContext& context, Checkpoints& checkpoints) const {
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
  OrderKeys keys_ = nullptr;
  int64_t outer_, dim_, inner_;
  int64_t parts_;  ///< real numbers in an element
  bool wanted_[4];
};

/// Unique: the different elements of X (with `axis`: the different slices along it), sorted or in the order of their
/// first occurrence, with the index of that, the group of each element, and the size of each group. All NaNs are one.
/// X, Y: numbers (complex ones by their real, then their imaginary part), bool, string. indices, inverse_indices,
/// counts: int64, one-dimensional. How many there are is known when the model runs. Source:
/// https://onnx.ai/onnx/operators/onnx__Unique.html
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

void register_unique(Registry& registry) { registry.add<Unique>("Unique", {.since = 11}); }

}  // namespace linnet

#include <limits>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

/// Whether v is beyond the best value so far. NaN is beyond every other value.
template <bool kMax, class T>
bool is_beyond(T v, T best) {
  return (kMax ? v > best : v < best) | ((v != v) & (best == best));
}

template <class T>
bool is_same(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

constexpr int64_t kColumns = 256;  ///< that are searched together, at the most

/// The extremes of some columns and where they are. int32_t lets compilers vectorise the search of float32.
template <class T>
struct Extremes {
  T value[kColumns];
  int32_t row[kColumns];
};

/// Searches n >= 1 rows down `columns` >= 1 columns, `pitch` elements apart.
template <class T, bool kMax, bool kLast>
void search(const T* x, int64_t n, int64_t pitch, int64_t columns, Extremes<T>& best) {
  int64_t first = 0;
  do best.value[first] = x[first], best.row[first] = 0;
  while (++first < columns);
  for (int64_t i = 1; i < n; ++i) {
    const T* row = x + i * pitch;
    for (int64_t c = 0; c < columns; ++c) {
      const T v = row[c], old = best.value[c];
      const bool better = is_beyond<kMax>(v, old) | (kLast & is_same(v, old));
      best.value[c] = better ? v : old;
      best.row[c] = better ? int32_t(i) : best.row[c];
    }
  }
}

template <class T, bool kMax, bool kLast>
void search_columns(const void* x, int64_t* y, int64_t n, int64_t pitch, int64_t columns) {
  Extremes<T> best;
  search<T, kMax, kLast>(static_cast<const T*>(x), n, pitch, columns, best);
  std::copy(best.row, best.row + columns, y);
}

/// A row of n values, searched as a matrix with kColumns / 4 columns and what is left.
template <class T, bool kMax, bool kLast>
int64_t search_row(const T* x, int64_t n) {
  const int64_t columns = std::min(n, kColumns / 4), whole = n / columns * columns;
  Extremes<T> best;
  search<T, kMax, kLast>(x, n / columns, columns, columns, best);
  auto value = best.value[0];
  int64_t index = best.row[0] * columns;
  for (int64_t c = 1; c < columns; ++c) {
    const int64_t candidate = best.row[c] * columns + c;
    const bool preferred = kLast ? candidate > index : candidate < index;
    if (is_beyond<kMax>(best.value[c], value) || (preferred && is_same(best.value[c], value))) {
      value = best.value[c], index = candidate;
    }
  }
  for (int64_t i = whole; i < n; ++i) {
    const T v = x[i];
    if (is_beyond<kMax>(v, value) || (kLast && is_same(v, value))) value = v, index = i;
  }
  return index;
}

/// Finds the extremes of lanes: for inner == 1 of `lanes` rows of n values, else of `lanes` neighbouring columns.
using Search = void (*)(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes);

template <class T, bool kMax, bool kLast>
void search_lanes(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes) {
  if (inner > 1) return search_columns<T, kMax, kLast>(x, y, n, inner, lanes);
  for (int64_t i = 0; i < lanes; ++i) y[i] = search_row<T, kMax, kLast>(static_cast<const T*>(x) + i * n, n);
}

class ArgKernel final : public Kernel {
 public:
  ArgKernel(const Shape& shape, int axis, Search search)
      : outer_(shape.elements(0, axis)),
        n_(shape[axis]),
        inner_(shape.elements(axis + 1, shape.rank())),
        search_(search) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    const int64_t element_bytes = dtype_bits(context.input(0).dtype()) / 8;
    auto* y = context.output(0).data<int64_t>();
    const int64_t blocks = ceil_div(inner_, kColumns);
    parallel_items(context.executor(), outer_ * blocks, n_ * std::min(inner_, kColumns),
                   [&](int64_t block, int64_t end, int) {
                     for (; block < end; ++block) {
                       const int64_t outer = block / blocks, column = block % blocks * kColumns;
                       search_(x + (outer * n_ * inner_ + column) * element_bytes, y + outer * inner_ + column, n_,
                               inner_, std::min(kColumns, inner_ - column));
                     }
                   });
  }

 private:
  int64_t outer_, n_, inner_;
  Search search_;
};

/// ArgMax, ArgMin: the index of the largest or smallest value along an axis, the first of equal ones or with
/// select_last_index the last.
/// x: numbers, rank >= 1, 1 to 2^31 - 1 of them along the axis.   y: int64.   axis: 0.   keepdims: 1 keeps the axis
/// with size 1. Sources: https://onnx.ai/onnx/operators/onnx__ArgMax.html,
/// https://onnx.ai/onnx/operators/onnx__ArgMin.html
template <bool kMax>
class ArgExtreme final : public Op {
 public:
  explicit ArgExtreme(const NodeSpec& node)
      : axis_(node.attr_or("axis", 0)),
        keep_dims_(node.attr_or("keepdims", true)),
        last_(node.attr_or("select_last_index", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!is_half(in[0].dtype)) search(in[0].dtype);
    if (!in[0].has_rank()) return {Fact(DType::kInt64, std::nullopt)};
    Dims dims = *in[0].dims;
    const auto axis = size_t(normalize_axis(axis_, in[0].rank()));
    if (dims[axis].known() && (dims[axis].value() == 0 || dims[axis].value() > std::numeric_limits<int32_t>::max())) {
      throw Error(ErrorKind::kShape, str("axis ", axis_, " must have between 1 and 2^31 - 1 values, got ", in[0]));
    }
    if (keep_dims_) {
      dims[axis] = 1;
    } else {
      dims.erase(dims.begin() + int64_t(axis));
    }
    return {Fact(DType::kInt64, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ArgKernel>(in.shape(0), normalize_axis(axis_, in.rank(0)), search(in.dtype(0)));
  }

 private:
  Search search(DType dtype) const {
    return dispatch_number(
        dtype, [&]<class T>() -> Search { return last_ ? search_lanes<T, kMax, true> : search_lanes<T, kMax, false>; });
  }

  int64_t axis_;
  bool keep_dims_;
  bool last_;
};

}  // namespace

void register_arg_extreme(Registry& registry) {
  registry.add<ArgExtreme<true>>("ArgMax");
  registry.add<ArgExtreme<false>>("ArgMin");
}

}  // namespace linnet

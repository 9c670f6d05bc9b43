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

constexpr int64_t kColumns = 256;    ///< that are searched together, at the most
constexpr int64_t kRowColumns = 32;  ///< of the matrix that a row is searched as

/// The extremes of some columns and where they are. int32_t lets compilers vectorise the search of float32.
template <class T>
struct Extremes {
  T value[kColumns];
  int32_t row[kColumns];
};

/// Searches n >= 1 rows down `columns` >= 1 columns, `pitch` elements apart; upwards for the last of equal values.
template <class T, bool kMax>
void search(const T* x, int64_t n, int64_t pitch, int64_t columns, bool last, Extremes<T>& best) {
  if (last) x += (n - 1) * pitch, pitch = -pitch;
  int64_t first = 0;
  do best.value[first] = x[first], best.row[first] = 0;
  while (++first < columns);
  for (int64_t i = 1; i < n; ++i) {
    const T* row = x + i * pitch;
    for (int64_t c = 0; c < columns; ++c) {
      const T v = row[c], old = best.value[c];
      const bool better = is_beyond<kMax>(v, old);
      best.value[c] = better ? v : old;
      best.row[c] = better ? int32_t(i) : best.row[c];
    }
  }
  for (int64_t c = 0; last && c < columns; ++c) best.row[c] = int32_t(n - 1) - best.row[c];
}

/// The index of the extreme of a row of n values that was searched as a matrix of kRowColumns columns, what is left
/// over not yet.
template <class T, bool kMax>
int64_t extreme_of_row(const T* x, int64_t n, bool last, const Extremes<T>& best) {
  T value = best.value[0];
  int64_t index = best.row[0] * kRowColumns;
  const auto compare = [&](T v, int64_t i) {
    const bool preferred = last ? i > index : i < index;
    if (is_beyond<kMax>(v, value) || (preferred && is_same(v, value))) value = v, index = i;
  };
  for (int64_t c = 1; c < kRowColumns; ++c) compare(best.value[c], best.row[c] * kRowColumns + c);
  for (int64_t i = n / kRowColumns * kRowColumns; i < n; ++i) compare(x[i], i);
  return index;
}

/// Finds the extremes of n values each: of `lanes` neighbouring columns of a matrix with `inner` ones, of as many rows,
/// one behind the other, if that is 1.
using Search = void (*)(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last);

/// Short rows, some of them as the columns of a matrix.
template <class T, bool kMax>
void search_short_rows(const T* x, int64_t* y, int64_t n, int64_t rows, bool last) {
  constexpr int64_t kRows = 64;
  T columns[kRowColumns * kRows];
  Extremes<T> best;
  for (int64_t count; rows > 0; rows -= count, x += count * n, y += count) {
    count = std::min(kRows, rows);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) columns[i * kRows + r] = x[r * n + i];
    }
    search<T, kMax>(columns, n, kRows, count, last, best);
    std::copy(best.row, best.row + count, y);
  }
}

template <class T, bool kMax>
void search_lanes(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last) {
  const auto* values = static_cast<const T*>(x);
  Extremes<T> best;
  if (inner > 1) {
    search<T, kMax>(values, n, inner, lanes, last, best);
    std::copy(best.row, best.row + lanes, y);
  } else if (n < kRowColumns) {
    search_short_rows<T, kMax>(values, y, n, lanes, last);
  } else {
    for (int64_t r = 0; r < lanes; ++r, values += n) {
      search<T, kMax>(values, n / kRowColumns, kRowColumns, kRowColumns, last, best);
      y[r] = extreme_of_row<T, kMax>(values, n, last, best);
    }
  }
}

class ArgKernel final : public Kernel {
 public:
  ArgKernel(const Shape& shape, int axis, bool last, Search search)
      : outer_(shape.elements(0, axis)),
        n_(shape[axis]),
        inner_(shape.elements(axis + 1, shape.rank())),
        last_(last),
        search_(search) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    const int64_t element_bytes = dtype_bits(context.input(0).dtype()) / 8;
    auto* y = context.output(0).data<int64_t>();
    if (inner_ == 1) {
      return parallel_items(context.executor(), outer_, n_, [&](int64_t row, int64_t end, int) {
        search_(x + row * n_ * element_bytes, y + row, n_, 1, end - row, last_);
      });
    }
    const int64_t blocks = ceil_div(inner_, kColumns);
    parallel_items(context.executor(), outer_ * blocks, n_ * std::min(inner_, kColumns),
                   [&](int64_t block, int64_t end, int) {
                     for (; block < end; ++block) {
                       const int64_t outer = block / blocks, column = block % blocks * kColumns;
                       search_(x + (outer * n_ * inner_ + column) * element_bytes, y + outer * inner_ + column, n_,
                               inner_, std::min(kColumns, inner_ - column), last_);
                     }
                   });
  }

 private:
  int64_t outer_, n_, inner_;
  bool last_;
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
    return std::make_unique<ArgKernel>(in.shape(0), normalize_axis(axis_, in.rank(0)), last_, search(in.dtype(0)));
  }

 private:
  static Search search(DType dtype) {
    return dispatch_number(dtype, []<class T>() -> Search { return search_lanes<T, kMax>; });
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

#include "indexing/reduce_row.h"

#include <algorithm>

#include "elements/dispatch.h"

namespace linnet {
namespace {

template <class T>
void copy(void* y, const void* u, int64_t n) {
  std::copy_n(static_cast<const T*>(u), n, static_cast<T*>(y));
}
template <class T>
void copy_at(void* y, const int64_t* at, const void* u, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(y)[at[i]] = static_cast<const T*>(u)[i];
}

template <class T, class F>
void reduce(void* y_data, const void* u_data, int64_t n) {
  T* y = static_cast<T*>(y_data);
  const T* u = static_cast<const T*>(u_data);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(F()(y[i], u[i]));
}

template <class T, class F>
void reduce_at(void* y_data, const int64_t* at, const void* u_data, int64_t n) {
  T* y = static_cast<T*>(y_data);
  const T* u = static_cast<const T*>(u_data);
  for (int64_t i = 0; i < n; ++i) y[at[i]] = static_cast<T>(F()(y[at[i]], u[i]));
}

// Integers wrap around because they are added and multiplied as unsigned.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T>)
    return uint64_t(value);
  else
    return value;
}

struct Add {
  template <class T>
  auto operator()(T a, T b) const {
    return wrapping(a) + wrapping(b);
  }
};
struct Mul {
  template <class T>
  auto operator()(T a, T b) const {
    return wrapping(a) * wrapping(b);
  }
};
// The selection is one instruction without a branch. Only the test for NaN is a branch, which is predictable.
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    const T least = b < a ? b : a;
    return b != b ? b : least;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    const T largest = a < b ? b : a;
    return b != b ? b : largest;
  }
};

template <class T>
Reduction typed(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::kAdd:
      return {reduce<T, Add>, reduce_at<T, Add>};
    case ScatterReduction::kMul:
      return {reduce<T, Mul>, reduce_at<T, Mul>};
    case ScatterReduction::kMin:
      return {reduce<T, Min>, reduce_at<T, Min>};
    case ScatterReduction::kMax:
      return {reduce<T, Max>, reduce_at<T, Max>};
    default:
      return {copy<T>, copy_at<T>};
  }
}

}  // namespace

ScatterReduction scatter_reduction(const NodeSpec& node) {
  const std::string word = node.attr_or("reduction", "none");
  if (word == "none") return ScatterReduction::kNone;
  if (word == "add") return ScatterReduction::kAdd;
  if (word == "mul") return ScatterReduction::kMul;
  if (word == "min") return ScatterReduction::kMin;
  if (word == "max") return ScatterReduction::kMax;
  throw Error(ErrorKind::kModel, str("reduction must be none, add, mul, min or max, got '", word, "'"));
}

Reduction reduction_of(ScatterReduction reduction, DType dtype) {
  if (reduction == ScatterReduction::kNone) {
    return dispatch_width(dtype, []<class T>() { return Reduction{copy<T>, copy_at<T>}; });
  }
  if (dtype == DType::kBool) return typed<bool>(reduction);
  return dispatch_number(dtype, [&]<class T>() { return typed<T>(reduction); });
}

}  // namespace linnet

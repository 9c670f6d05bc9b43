#include <algorithm>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

/// Imputes rows of features, each of which has an imputed value. The loops have no branches, so that compilers
/// vectorise them.
template <class T>
class ImputerKernel final : public Kernel {
 public:
  ImputerKernel(int64_t size, T replaced, CountedVector<T> imputed)
      : size_(size), replaced_(replaced), imputed_(std::move(imputed)) {
    // Repeats few values, so that rows are treated as having many.
    const size_t values = imputed_.size();
    while (imputed_.size() < kLeastFeatures && int64_t(imputed_.size()) < size) {
      imputed_.insert(imputed_.end(), imputed_.begin(), imputed_.begin() + std::ptrdiff_t(values));
    }
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const int64_t features = std::ssize(imputed_);
    parallel_items(context.executor(), ceil_div(size_, features), features, [&](int64_t row, int64_t end, int) {
      for (; row < end; ++row) {
        const int64_t first = row * features;
        impute_row(x + first, y + first, std::min(features, size_ - first));
      }
    });
  }

  int in_place(int) const override { return 0; }

 private:
  static constexpr size_t kLeastFeatures = 64;

  void impute_row(const T* x, T* y, int64_t n) const {
    const T replaced = replaced_;
    if (replaced != replaced) return select(x, y, n, [](T v) { return v != v; });
    select(x, y, n, [replaced](T v) { return v == replaced; });
  }

  template <class IsReplaced>
  void select(const T* x, T* y, int64_t n, IsReplaced is_replaced) const {
    const T* imputed = imputed_.data();
    for (int64_t i = 0; i < n; ++i) {
      const T v = x[i], other = imputed[i];
      y[i] = is_replaced(v) ? other : v;
    }
  }

  int64_t size_;
  T replaced_;
  CountedVector<T> imputed_;  ///< The imputed values of a row.
};

/// Imputer: replaces elements that equal the replaced value (NaN too) by the imputed value: one for all, or one for
/// each feature.
/// X, Y: float32 or float64 (attributes *_float*), int64 or int32 (attributes *_int64*).
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html
class Imputer final : public Op {
 public:
  explicit Imputer(const NodeSpec& node)
      : floats_(attribute_list<float>(node, "imputed_value_floats")),
        ints_(attribute_list<int64_t>(node, "imputed_value_int64s")),
        replaced_float_(node.attr_or("replaced_value_float", 0.0f)),
        replaced_int_(node.attr_or("replaced_value_int64", 0)) {
    if (floats_.empty() == ints_.empty()) {
      throw Error(ErrorKind::kModel,
                  str("exactly one of imputed_value_floats and imputed_value_int64s must hold values, got ",
                      floats_.size(), " and ", ints_.size()));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kMlNumbers, "X");
    if (is_integer(in[0].dtype) == ints_.empty()) {
      throw Error(ErrorKind::kType, str("X must be ", ints_.empty() ? "floating" : "integer",
                                        " as the imputed values are, got ", in[0].dtype));
    }
    require_rank_at_least(in[0], 1, "X");
    if (in[0].has_rank() && count() != 1) merge_dim(feature_dim(in[0]), count(), "features and imputed values");
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const int64_t size = in.shape(0).elements();
    return dispatch_number(in.dtype(0), [&]<class T>() { return kernel<T>(size); });
  }

 private:
  int64_t count() const { return int64_t(floats_.size() + ints_.size()); }

  template <class T>
  KernelPtr kernel(int64_t size) const {
    if constexpr (std::is_integral_v<T>) {
      return std::make_unique<ImputerKernel<T>>(size, narrow<T>(replaced_int_), imputed<T>());
    } else {
      return std::make_unique<ImputerKernel<T>>(size, T(replaced_float_),
                                                CountedVector<T>(floats_.begin(), floats_.end()));
    }
  }

  template <class T>
  static T narrow(int64_t value) {
    if (int64_t(T(value)) == value) return T(value);
    throw Error(ErrorKind::kModel, str("value ", value, " does not fit into the dtype of X, ", dtype_of<T>));
  }

  template <class T>
  CountedVector<T> imputed() const {
    CountedVector<T> result;
    for (const int64_t value : ints_) result.push_back(narrow<T>(value));
    return result;
  }

  CountedVector<float> floats_;
  CountedVector<int64_t> ints_;
  float replaced_float_;
  int64_t replaced_int_;
};

}  // namespace

LINNET_REGISTER(imputer)(Registry& registry) { registry.add<Imputer>("Imputer", {.since = 1, .domain = "ai.onnx.ml"}); }

}  // namespace linnet

#include <algorithm>
#include <utility>

#include "movement/axes.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Reshape: the same elements under another shape. In `shape`, 0 copies the input's dim at that position (a dim of 0
/// with allowzero) and one -1 stands for what is left.
/// data, reshaped: any dtype. shape: an attribute before opset 5, int64 input since.
/// Source: https://onnx.ai/onnx/operators/onnx__Reshape.html
class Reshape final : public Op {
 public:
  explicit Reshape(const NodeSpec& node) : shape_(node, "shape", 1, 5), allow_zero_(node.attr_or("allowzero", false)) {
    if (node.opset < 5) node.attr<std::vector<int64_t>>("shape");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, shape_.is_input() ? 2 : 1, 2);
    const auto shape = shape_.values(in);
    if (shape) return {Fact(in[0].dtype, target(in[0], *shape))};
    if (const auto dims = shape_.dims(in)) return {Fact(in[0].dtype, told_target(in[0], *dims))};
    const auto rank = shape_.count(in);
    return {rank ? Fact(in[0].dtype, Dims(size_t(*rank))) : Fact(in[0].dtype, std::nullopt)};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }
  std::vector<int> value_inputs() const override { return shape_.value_inputs(); }

 private:
  Dims target(const Fact& x, const std::vector<int64_t>& shape) const {
    if (shape.size() > size_t(kMaxRank)) {
      throw Error(ErrorKind::kLimit, str("rank ", shape.size(), " exceeds ", kMaxRank));
    }
    Dims result;
    Dims left = x.dims.value_or(Dims());
    int64_t product = 1;
    int inferred = -1;
    for (int i = 0; i < int(shape.size()); ++i) {
      const int64_t value = shape[size_t(i)];
      if (value < -1 || (value == -1 && inferred >= 0)) refuse(x, shape);
      if (value == -1) inferred = i;
      if (value == 0 && !allow_zero_) {
        if (x.has_rank() && i >= x.rank()) refuse(x, shape);
        result.push_back(x.has_rank() ? std::exchange(left[size_t(i)], 1) : Dim());
      } else {
        result.push_back(value < 0 ? Dim() : Dim(value));
        product = value == -1 ? product : checked_mul(product, value);
      }
    }
    if (inferred >= 0 && product == 0) refuse(x, shape);
    if (x.has_rank() && inferred >= 0) result[size_t(inferred)] = quotient(left, product);
    const bool empty = x.has_rank() && has_zero(*x.dims) && has_zero(result);
    if (x.has_rank() && !empty && contradicts(left, product, inferred >= 0)) refuse(x, shape);
    if (x.has_rank() && !empty && inferred < 0) learn_equal(product_of(left), product);
    return result;
  }

  static Dim product_of(const Dims& dims) {
    Dim result = 1;
    for (const Dim& dim : dims) result *= dim;
    return result;
  }

  Dims told_target(const Fact& x, const Dims& shape) const {
    if (!x.has_rank() || shape.size() > size_t(kMaxRank)) return Dims(shape.size());
    Dims result, left = *x.dims;
    int inferred = -1;
    Dim product = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      const Dim& value = shape[i];
      if (value == Dim(-1)) {
        if (inferred >= 0) return Dims(shape.size());
        inferred = int(i);
        result.push_back(Dim());
      } else if (value == Dim(0) && !allow_zero_) {
        if (i >= left.size()) return Dims(shape.size());
        result.push_back(std::exchange(left[i], 1));
      } else if (value.lower_bound() < 0 || (value.lower_bound() < 1 && !allow_zero_ && false)) {
        return Dims(shape.size());
      } else {
        result.push_back(value);
        product *= value;
      }
    }
    const Dim whole = product_of(left);
    if (inferred >= 0) {
      const Dim exact = exact_quotient(whole, product);
      result[size_t(inferred)] = exact.determined() ? exact : floor_div(whole, product);
    } else {
      learn_equal(whole, product);
    }
    return result;
  }

  static bool has_zero(const Dims& dims) {
    return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim == Dim(0); });
  }

  /// The product of the dims and the open one among them: 1 where there is none, unknown where there are several.
  static std::pair<int64_t, Dim> elements(const Dims& dims) {
    int64_t numbers = 1;
    Dim open = 1;
    for (const Dim& dim : dims) {
      if (dim.known()) numbers = checked_mul(numbers, dim.value());
      if (!dim.known()) open = open.known() ? dim : Dim();
    }
    return {numbers, open};
  }

  static Dim quotient(const Dims& dims, int64_t divisor) {
    const auto [numbers, open] = elements(dims);
    if (open.known()) return numbers / divisor;
    (void)open;
    if (divisor == 0) return {};
    const Dim whole = product_of(dims);
    const Dim exact = exact_quotient(whole, divisor);
    return exact.determined() ? exact : floor_div(whole, divisor);
  }

  static bool contradicts(const Dims& dims, int64_t product, bool inferred) {
    const auto [numbers, open] = elements(dims);
    return open.known() && (inferred ? numbers % product != 0 : numbers != product);
  }

  [[noreturn]] static void refuse(const Fact& x, const std::vector<int64_t>& shape) {
    std::string text;
    for (const int64_t value : shape) text += str(text.empty() ? "" : ",", value);
    throw Error(ErrorKind::kShape, str("cannot reshape ", x, " to [", text, "]"));
  }

  IntsParameter shape_;
  bool allow_zero_;
};

}  // namespace

LINNET_REGISTER(reshape)(Registry& registry) { registry.add<Reshape>("Reshape", {.since = 1}); }

}  // namespace linnet

#include <algorithm>
#include <utility>

#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Reshape: the same elements with another shape. In `shape`, 0 copies the input's dim at that position (or is a dim of
/// 0 with allowzero), and one -1 is inferred from the other dims.
/// data, reshaped: any dtype.
/// shape: an attribute before opset 5, an int64 input since.
/// Source: https://onnx.ai/onnx/operators/onnx__Reshape.html
class Reshape final : public Op {
 public:
  explicit Reshape(const NodeSpec& node) : shape_(node, "shape", 1, 5), allow_zero_(node.attr_or("allowzero", false)) {
    if (node.opset < 5) node.attr<std::vector<int64_t>>("shape");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, shape_.is_input() ? 2 : 1, 2);
    if (const auto shape = shape_.dims(in)) return {Fact(in[0].dtype, target(in[0], *shape))};
    const auto rank = shape_.count(in);
    return {rank ? Fact(in[0].dtype, Dims(size_t(*rank))) : Fact(in[0].dtype, std::nullopt)};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return carry_in_order(prefix); }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }
  std::vector<int> value_inputs() const override { return shape_.value_inputs(); }

 private:
  Dims target(const Fact& x, const Dims& shape) const {
    if (shape.size() > size_t(kMaxRank)) {
      throw Error(ErrorKind::kLimit, str("rank ", shape.size(), " exceeds ", kMaxRank));
    }
    const bool infers = has(shape, -1);
    Dims result;
    Dims left = x.dims.value_or(Dims());
    Dim product = 1;
    int inferred = -1;
    for (int i = 0; i < int(shape.size()); ++i) {
      const Dim& value = shape[size_t(i)];
      if (value.known() && (value.value() < -1 || (value.value() == -1 && inferred >= 0))) refuse(x, shape);
      if (certainly_equal(value, -1)) {
        inferred = i;
        result.push_back(Dim());
      } else if (copies(x, i, value)) {
        if (x.has_rank() && i >= x.rank()) refuse(x, shape);
        result.push_back(x.has_rank() ? std::exchange(left[size_t(i)], 1) : Dim());
      } else {
        result.push_back(is_size(x, i, value, infers) ? value : Dim());
        product = checked_mul(product, result.back());
      }
    }
    if (infers && certainly_equal(product, 0)) refuse(x, shape);
    if (x.has_rank()) fit(x, shape, product_of(left), product, inferred, result);
    return result;
  }

  /// Checks the number of elements in the dims that are not copied, and infers one dim from it.
  static void fit(const Fact& x, const Dims& shape, const Dim& elements, const Dim& product, int inferred,
                  Dims& result) {
    if (inferred >= 0) {
      const Dim exact = exact_quotient(elements, product);
      result[size_t(inferred)] = exact.determined() ? exact : floor_div(elements, product);
    }
    if (has(*x.dims, 0) && has(result, 0)) return;
    if (inferred < 0) learn_equal(elements, product);
    if (!elements.known() || !product.known()) return;
    const int64_t rest = inferred < 0 ? elements.value() - product.value() : elements.value() % product.value();
    if (rest != 0) refuse(x, shape);
  }

  /// Whether the value copies the input's dim.
  bool copies(const Fact& x, int i, const Dim& value) const {
    if (value.known()) return value.value() == 0 && !allow_zero_;
    return x.has_rank() && i < x.rank() && certainly_equal(value, x.dim(i));
  }

  /// Whether the value is the dim in all runs that succeed, including those in which it is 0.
  bool is_size(const Fact& x, int i, const Dim& value, bool infers) const {
    if (value.known() || allow_zero_) return certainly_at_least(value, 0);
    return (!infers && are_zero_together(x, i, value)) || certainly_at_least(value, 1);
  }

  /// Whether the input's dim is 0 whenever the value is.
  static bool are_zero_together(const Fact& x, int i, const Dim& value) {
    if (!x.has_rank() || i >= x.rank() || value.lower_bound() < 0) return false;
    return exact_quotient(x.dim(i), value).determined() || exact_quotient(value, x.dim(i)).known();
  }

  static bool has(const Dims& dims, int64_t number) {
    return std::ranges::any_of(dims, [&](const Dim& dim) { return certainly_equal(dim, number); });
  }

  [[noreturn]] static void refuse(const Fact& x, const Dims& shape) {
    std::string text;
    for (const Dim& value : shape) text += str(text.empty() ? "" : ",", value);
    throw Error(ErrorKind::kShape, str("cannot reshape ", x, " to [", text, "]"));
  }

  IntsParameter shape_;
  bool allow_zero_;
};

}  // namespace

LINNET_REGISTER(reshape)(Registry& registry) { registry.add<Reshape>("Reshape", {.since = 1}); }

}  // namespace linnet

#include <algorithm>

#include "elements/dispatch.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "registration.h"

namespace linnet {
namespace {

Tensor one_element(DType dtype) {
  Tensor one(dtype, Shape{1});
  if (dtype == DType::kBool) {
    *one.data<bool>() = true;
  } else {
    dispatch_stored(dtype, [&]<class T>() { *one.data<T>() = stored<T>(1); });
  }
  return one;
}

class EyeKernel final : public Kernel {
 public:
  EyeKernel(DType dtype, const Shape& y, int64_t k)
      : copy_(copy_row_of(dtype)), zero_(zero_element(dtype)), one_(one_element(dtype)), columns_(y[1]) {
    const int64_t begin = std::clamp<int64_t>(k < 0 ? -std::max(k, -y[0]) : 0, 0, y[0]);
    const int64_t column = std::clamp<int64_t>(k, 0, columns_);
    first_ = (begin * columns_ + column) * element_bytes(dtype);
    count_ = std::min(y[0] - begin, columns_ - column);
  }

  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    fill_tensor(zero_, y, context.executor());
    if (count_ > 0) copy_(one_.raw(), 0, static_cast<std::byte*>(y.raw()) + first_, columns_ + 1, count_);
  }

 private:
  CopyRow copy_;
  Tensor zero_, one_;
  int64_t columns_, first_, count_;
};

/// EyeLike: a matrix of its input's shape with ones at (i, i + k) and zeros elsewhere.
/// - input: any dtype, rank 2; output: numbers or bool, of the attribute dtype, else of the input's dtype
/// Source: https://onnx.ai/onnx/operators/onnx__EyeLike.html
class EyeLike final : public Op {
 public:
  explicit EyeLike(const NodeSpec& node) : k_(node.attr_or("k", 0)), dtype_(dtype_attribute(node, "dtype")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rank(in[0], 2, "input");
    return {Fact(dtype_ == DType::kUndefined ? in[0].dtype : dtype_, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<EyeKernel>(in.output_dtype(0), in.output_shape(0), k_);
  }

 private:
  int64_t k_;
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(eye_like)(Registry& registry) { registry.add<EyeLike>("EyeLike", {.since = 9}); }

}  // namespace linnet

#pragma once

#include <functional>
#include <type_traits>
#include <vector>

#include "elements/dispatch.h"
#include "kernels/forms.h"
#include "linnet/op.h"

// Operators that compute each element of their output from one element of each input.
namespace linnet {

/// The elements of one input in an inner loop: n of them, or one that stands for all.
struct Operand {
  const void* data;
  bool scalar;
};

/// Computes n elements of y from those of the inputs. y may be the memory of an input that is not scalar and has
/// elements of the same size; then element i of the input is read before element i of y is written. Does not throw.
using InnerLoop = std::function<void(const Operand* x, void* y, int64_t n)>;

/// An input of the node and the shape to take it as (of as many elements as its own).
struct Source {
  int input;
  Shape shape;
};

/// A kernel that broadcasts its sources to the shape of output 0 (NumPy's rules) and computes it with `loop`, whose
/// operands come in the order of the sources. The output may take the place of the first source that has its shape
/// and element size. Throws Error(kUnsupported) for elements below one byte.
KernelPtr elementwise(const CompileInput& in, const std::vector<Source>& sources, InnerLoop loop);
/// The same with all inputs as they are.
KernelPtr elementwise(const CompileInput& in, InnerLoop loop);

/// y = f(x). f takes an X and returns what converts to Y.
template <class X, class Y = X, class F>
InnerLoop unary_loop(F f) {
  return [f](const Operand* x, void* y, int64_t n) {
    const X* a = static_cast<const X*>(x[0].data);
    Y* out = static_cast<Y*>(y);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(a[i]));
  };
}

/// y = f(a, b). f takes two X and returns what converts to Y.
template <class X, class Y = X, class F>
InnerLoop binary_loop(F f) {
  using One = std::conditional_t<std::is_trivially_copyable_v<X>, X, const X&>;
  return [f](const Operand* x, void* y, int64_t n) {
    const X* a = static_cast<const X*>(x[0].data);
    const X* b = static_cast<const X*>(x[1].data);
    Y* out = static_cast<Y*>(y);
    const auto at = [](const X* from, int64_t i) -> One { return from[i]; };
    if (x[0].scalar) {
      const One first = at(a, 0);
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(first, at(b, i)));
    } else if (x[1].scalar) {
      const One second = at(b, 0);
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(at(a, i), second));
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(at(a, i), at(b, i)));
    }
  };
}

/// Loops on a float32 kernel. Throw Error(kUnsupported) for other dtypes.
InnerLoop kernel_loop(DType dtype, UnaryForm kernel, float alpha = 0, float beta = 0);
InnerLoop kernel_loop(DType dtype, const BinaryForms& kernel);

/// A loop on a kernel that takes all operands as they stand in memory: scalar ones are repeated, block by block. The
/// operands' elements have these bytes, `y_bytes` those of the output.
InnerLoop number_loop(NumberFunction kernel, std::vector<size_t> x_bytes, size_t y_bytes);
/// The same for operands, as many as the node has inputs, and an output of these dtypes, all of whole bytes.
InnerLoop number_loop(NumberFunction kernel, const CompileInput& in);

/// How operators before opset 7 broadcast b to a: not at all without the attribute `broadcast`, else b's dims stand
/// against a's from the attribute `axis` on (by default against the last ones). From opset 7 on NumPy's rules hold.
/// Source: https://github.com/onnx/onnx/blob/main/docs/Changelog.md#Add-1
class BinaryBroadcast {
 public:
  explicit BinaryBroadcast(const NodeSpec& node);

  bool by_numpy() const { return !legacy_; }
  /// The dims of the output. Throws Error(kShape) for shapes that do not broadcast.
  std::optional<Dims> dims(const Fact& a, const Fact& b) const;
  /// Checks for two inputs of one dtype; the facts of an output of dims() and the given dtype, a's if kUndefined.
  std::vector<Fact> infer(std::span<const Fact> in, DType output = DType::kUndefined) const;
  /// As AlignsOperands says.
  std::optional<Dims> aligned_second(std::span<const Fact> in) const;
  /// The two inputs as elementwise() takes them.
  std::vector<Source> sources(const CompileInput& in) const;

 private:
  std::optional<Dims> aligned(const Fact& a, const Fact& b) const;

  bool legacy_;
  bool broadcast_ = false;
  std::optional<int64_t> axis_;
};

}  // namespace linnet

#pragma once

#include <functional>
#include <type_traits>
#include <vector>

#include "elements/dispatch.h"
#include "kernels/forms.h"
#include "linnet/op.h"

// Operators that compute each element of their output from one element of each input.
namespace linnet {

/// The elements of one input in an inner loop: n elements, or a single one that is repeated.
struct Operand {
  const void* data;
  bool scalar;
};

/// Computes n elements of y from those of the inputs. y may be the memory of a non-scalar input with elements of the
/// same size; then element i of the input is read before element i of y is written. Does not throw.
using InnerLoop = std::function<void(const Operand* x, void* y, int64_t n)>;

/// An input of the node, and the shape to use for it (with as many elements as its own).
struct Source {
  int input;
  Shape shape;
};

/// A kernel that broadcasts its sources to the shape of output 0 (NumPy's rules) and computes it with `loop`, whose
/// operands are in the order of the sources. The output may be in place of the first source with its shape and element
/// size. Throws Error(kUnsupported) for elements below one byte.
KernelPtr elementwise(const CompileInput& in, const std::vector<Source>& sources, InnerLoop loop);
/// The same with all inputs in their own shapes.
KernelPtr elementwise(const CompileInput& in, InnerLoop loop);

/// y = f(x). f takes an X and returns a value convertible to Y.
template <class X, class Y = X, class F>
InnerLoop unary_loop(F f) {
  return [f](const Operand* x, void* y, int64_t n) {
    const X* a = static_cast<const X*>(x[0].data);
    Y* out = static_cast<Y*>(y);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(a[i]));
  };
}

/// y = f(a, b). f takes two X and returns a value convertible to Y.
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

/// Loops that call a float32 kernel. Throw Error(kUnsupported) for other dtypes.
InnerLoop kernel_loop(DType dtype, UnaryForm kernel, float alpha = 0, float beta = 0);
InnerLoop kernel_loop(DType dtype, const BinaryForms& kernel);

/// A loop that calls a kernel without support for scalar operands, which are repeated block by block. x_bytes are the
/// sizes of the operands' elements, y_bytes that of the output's.
InnerLoop number_loop(NumberFunction kernel, std::vector<size_t> x_bytes, size_t y_bytes);
/// The same for all inputs of the node and output 0, whose dtypes must have whole bytes.
InnerLoop number_loop(NumberFunction kernel, const CompileInput& in);

/// The broadcasting of b to a in operators before opset 7. Without the attribute `broadcast`, shapes must be equal.
/// Otherwise, b's dims are aligned with a's from the attribute `axis` on, by default with the last ones. Since opset 7,
/// NumPy's rules apply.
/// Source: https://github.com/onnx/onnx/blob/main/docs/Changelog.md#Add-1
class BinaryBroadcast {
 public:
  explicit BinaryBroadcast(const NodeSpec& node);

  bool by_numpy() const { return !legacy_; }
  /// The dims of the output. Throws Error(kShape) for shapes that do not broadcast.
  std::optional<Dims> dims(const Fact& a, const Fact& b) const;
  /// Checks two inputs of one dtype, and returns the facts of an output of dims() and the given dtype (a's if
  /// kUndefined).
  std::vector<Fact> infer(std::span<const Fact> in, DType output = DType::kUndefined) const;
  /// See AlignsOperands.
  std::optional<Dims> aligned_second(std::span<const Fact> in) const;
  /// The two inputs as arguments of elementwise().
  std::vector<Source> sources(const CompileInput& in) const;

 private:
  std::optional<Dims> aligned(const Fact& a, const Fact& b) const;

  bool legacy_;
  bool broadcast_ = false;
  std::optional<int64_t> axis_;
};

}  // namespace linnet

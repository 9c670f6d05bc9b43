#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/forms.h"
#include "linnet/dim.h"
#include "linnet/node_spec.h"

// The table of element-wise functions, used by operators, fused activations, chains, gates and rewrites.
namespace linnet {

/// y[i] = f(x[i]) for n elements of one dtype, not vectorised. x == y is allowed.
using ScalarLoop = void (*)(const void* x, void* y, int64_t n, float alpha, float beta);

/// A parameter of a function: its attribute (null: there is no such parameter) and its default.
struct Parameter {
  const char* attribute = nullptr;
  float fallback = 0;
};

/// The largest difference between a float32 result and f(x): `ulps` units in the last place of f(x), which include the
/// half for rounding, plus `per_x` times |x|.
struct ErrorBound {
  double ulps = 0;
  double per_x = 0;
};

/// One of several functions of an operator, selected by a string attribute; if it is absent, the first row applies.
struct Form {
  std::string_view op_type;
  const char* attribute = nullptr;
  const char* value = nullptr;
};

struct Range {
  float low, high;
};

/// f(x, alpha, beta). NaN gives NaN.
struct UnaryFunction {
  std::string_view name;  ///< in attributes of internal operators; also the operator's name, unless `form` has another
  int64_t since;          ///< the first opset of the operator with these defaults; 0: no operator
  UnaryForm UnaryKernels::*kernel;    ///< float32; null: computed by `scalar`
  ScalarLoop (*scalar)(DType dtype);  ///< float32, float64, perhaps integers; throws Error(kUnsupported) for others
  ErrorBound error{};                 ///< of float32
  Parameter alpha{}, beta{};
  Form form{};
  Range (*clamp)(float alpha, float beta) = nullptr;  ///< the range, if f is min(max(x, low), high)
  Dim (*of_dim)(const Dim& x) = nullptr;              ///< f of an integer, see Op::element(); null: unknown

  std::string_view op_type() const { return form.attribute ? form.op_type : name; }
};

/// All rows, sorted by name and, if defaults changed, by `since`.
std::span<const UnaryFunction> unary_functions();
/// The last row with that name; nullptr if not found.
const UnaryFunction* unary_function(std::string_view name);

/// A function and its parameters; a null function applies nothing.
struct Activation {
  const UnaryFunction* function = nullptr;
  float alpha = 0, beta = 0;
};

/// The function that an operator of ai.onnx with one input applies; nullopt for other nodes.
std::optional<Activation> activation_of(const NodeSpec& node);
/// The attributes of a function's operator for these parameters.
Attributes attributes_of(const Activation& activation);

/// f(a, b), with broadcasting.
struct BinaryFunction {
  std::string_view name;  ///< of its operator
  BinaryForms BinaryKernels::*kernel;
};

std::span<const BinaryFunction> binary_functions();
/// The function with that name; nullptr if not found.
const BinaryFunction* binary_function(std::string_view name);

}  // namespace linnet

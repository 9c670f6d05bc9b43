#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/forms.h"
#include "linnet/dim.h"
#include "linnet/node_spec.h"

// The table of element-wise functions, which operators, fused activations, chains, gates and rewrites read.
namespace linnet {

/// y[i] = f(x[i]) for n elements of one dtype, without vectors. x == y is allowed.
using ScalarLoop = void (*)(const void* x, void* y, int64_t n, float alpha, float beta);

/// A parameter of a function: the attribute that holds it (null: there is no such parameter) and its default.
struct Parameter {
  const char* attribute = nullptr;
  float fallback = 0;
};

/// How far a float32 result may be from f(x): `ulps` units in the last place of f(x) (at least the half that rounding
/// takes), and `per_x` times |x|.
struct ErrorBound {
  double ulps = 0;
  double per_x = 0;
};

/// One of several functions of an operator, chosen by a string attribute; its first row holds where that is absent.
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
  std::string_view name;  ///< in attributes of internal operators; also that of its operator, unless `form` has another
  int64_t since;          ///< the opset from which on the operator holds with these defaults; 0: there is none
  UnaryForm UnaryKernels::*kernel;    ///< float32; null: computed by `scalar`
  ScalarLoop (*scalar)(DType dtype);  ///< float32, float64, maybe integers; throws Error(kUnsupported) for others
  ErrorBound error{};                 ///< of float32
  Parameter alpha{}, beta{};
  Form form{};
  Range (*clamp)(float alpha, float beta) = nullptr;  ///< where f is min(max(x, low), high) of this range
  Dim (*of_dim)(const Dim& x) = nullptr;              ///< f of an integer, see Op::element(); null: unknown

  std::string_view op_type() const { return form.attribute ? form.op_type : name; }
};

/// All rows, by name and, where the defaults have changed, by `since`.
std::span<const UnaryFunction> unary_functions();
/// The last row of that name; nullptr where there is none.
const UnaryFunction* unary_function(std::string_view name);

/// A function and its parameters; none: nothing is applied.
struct Activation {
  const UnaryFunction* function = nullptr;
  float alpha = 0, beta = 0;
};

/// What an operator of ai.onnx with one input applies to it; nullopt for other nodes.
std::optional<Activation> activation_of(const NodeSpec& node);
/// The attributes by which the operator of a function applies it with these parameters.
Attributes attributes_of(const Activation& activation);

/// f(a, b), with broadcasting.
struct BinaryFunction {
  std::string_view name;  ///< of its operator
  BinaryForms BinaryKernels::*kernel;
};

std::span<const BinaryFunction> binary_functions();
/// The function of that name, nullptr where there is none.
const BinaryFunction* binary_function(std::string_view name);

}  // namespace linnet

#include <cmath>

#include "elements/wide.h"
#include "elements/wrapping_arithmetic.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "kernels/unary.h"
#include "registration.h"

namespace linnet {
namespace {

/// a^b modulo 2^64. Negative powers are rounded towards zero; those of 0 are 0.
int64_t integer_power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; b > 0; b >>= 1, a = wrapping_mul(a, a)) {
    if (b & 1) result = wrapping_mul(result, a);
  }
  return result;
}

Wide power(const Wide& a, const Wide& b, bool integers) {
  return integers ? Wide{.i = integer_power(a.i, b.i)} : Wide{.d = std::pow(a.d, b.d)};
}

/// Reads numbers as integers (uint64 modulo 2^64) or as double.
void read(const WideReader& reader, WideKind kind, bool integers, const void* x, int64_t first, int64_t n, Wide* out) {
  reader(x, first, n, out);
  if (integers || kind == WideKind::kReal) return;
  for (int64_t i = 0; i < n; ++i) {
    out[i].d = kind == WideKind::kUnsigned ? static_cast<double>(out[i].u) : static_cast<double>(out[i].i);
  }
}

/// A loop for two integers, or numbers of two dtypes, which computes in int64 or double.
InnerLoop mixed_loop(DType base, DType exponent) {
  const WideKind kinds[] = {wide_kind(base), wide_kind(exponent)};
  const bool integers = kinds[0] != WideKind::kReal && kinds[1] != WideKind::kReal;
  return [integers, a_kind = kinds[0], b_kind = kinds[1], a_reader = wide_reader(base),
          b_reader = wide_reader(exponent), writer = wide_writer(integers ? WideKind::kSigned : WideKind::kReal, base)](
             const Operand* x, void* y, int64_t n) {
    constexpr int64_t kBlock = 128;
    Wide a[kBlock], b[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t size = std::min(kBlock, n - first);
      read(a_reader, a_kind, integers, x[0].data, x[0].scalar ? 0 : first, x[0].scalar ? 1 : size, a);
      read(b_reader, b_kind, integers, x[1].data, x[1].scalar ? 0 : first, x[1].scalar ? 1 : size, b);
      Wide result[kBlock];
      for (int64_t i = 0; i < size; ++i) result[i] = power(a[x[0].scalar ? 0 : i], b[x[1].scalar ? 0 : i], integers);
      writer(result, y, first, size);
    }
  };
}

/// The value of a constant exponent of one element, if it is a float of any width.
std::optional<double> constant_exponent(const CompileInput& in) {
  const Tensor* exponent = in.constant(1);
  if (!exponent || exponent->size() != 1 || !is_floating(exponent->dtype())) return std::nullopt;
  Wide value;
  wide_reader(exponent->dtype())(exponent->raw(), 0, 1, &value);
  return value.d;
}

/// Pow: y = x^exponent, element-wise with broadcasting (before opset 7 by the attributes broadcast and axis).
/// - x, y: numbers of one dtype; exponent: numbers
/// Two integers are computed modulo 2^64, other pairs of different dtypes in double. Floats out of the range of an
/// integer x become its lowest value.
/// Source: https://onnx.ai/onnx/operators/onnx__Pow.html
class Pow final : public Op, public AlignsOperands {
 public:
  explicit Pow(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    return {Fact(in[0].dtype, broadcast_.dims(in[0], in[1]))};
  }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    const std::optional<double> exponent = constant_exponent(in);
    if (has_float_kernel(dtype) && (exponent == 2.0 || exponent == 3.0)) {
      const InnerLoop cube = unary_loop<float>([](float x) { return x * x * x; });
      return elementwise(in, {{0, in.shape(0)}},
                         exponent == 2.0 ? kernel_loop(dtype, kernels_for<UnaryKernels>(in.isa()).square) : cube);
    }
    if (dtype == DType::kFloat64 && (exponent == 2.0 || exponent == 3.0)) {
      const DoubleFunctions& functions = kernels_for<NumberUnaryKernels>(in.isa()).doubles;
      return elementwise(
          in, {{0, in.shape(0)}},
          number_loop(exponent == 2.0 ? functions.square : functions.cube, {sizeof(double)}, sizeof(double)));
    }
    if (has_float_kernel(dtype) && in.dtype(1) == dtype) {
      return elementwise(in, broadcast_.sources(in), kernel_loop(dtype, kernels_for<BinaryKernels>(in.isa()).pow));
    }
    return elementwise(in, broadcast_.sources(in), loop(dtype, in.dtype(1)));
  }

 private:
  static InnerLoop loop(DType base, DType exponent) {
    if (base != exponent || !is_floating(base)) return mixed_loop(base, exponent);
    return dispatch_float(base, []<class T>() { return binary_loop<T>([](T a, T b) { return std::pow(a, b); }); });
  }

  BinaryBroadcast broadcast_;
};

}  // namespace

LINNET_REGISTER(pow)(Registry& registry) { registry.add<Pow>("Pow"); }

}  // namespace linnet

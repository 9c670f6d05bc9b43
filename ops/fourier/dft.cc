#include <algorithm>

#include "elements/dispatch.h"
#include "fourier/fft.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// The parameters of DFT along its axis: transforms of length n read `used` of the `in` elements of each input line,
/// and write their first `out` elements. Elements have 1 (real) or 2 (complex) parts.
struct Lines {
  int64_t n = 0, in = 0, out = 0, used = 0;
  int64_t outer = 1, inner = 1;
  int in_parts = 1, out_parts = 2;
  bool inverse = false, mirrored = false;  ///< mirrored: the rest of the spectrum is conjugates
};

template <class T>
class DftKernel final : public Kernel {
 public:
  explicit DftKernel(const Lines& lines) : lines_(lines), fft_(lines.n) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const Lines& l = lines_;
    parallel_items(context.executor(), l.outer * l.inner, 8 * l.n, [&](int64_t begin, int64_t end, int worker) {
      Checkpoints checkpoints;
      auto* line = reinterpret_cast<Complex*>(context.scratch(worker));
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / l.inner, column = i % l.inner;
        read(x + (o * l.in * l.inner + column) * l.in_parts, line, checkpoints);
        l.inverse ? fft_.inverse(line, line + l.n) : fft_.forward(line, line + l.n);
        write(line, y + (o * l.out * l.inner + column) * l.out_parts, checkpoints);
      }
    });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kComplex128, lines_.n + fft_.scratch_size()); }

 private:
  static constexpr int64_t kElementWork = 8;  // read or written with a stride

  void read(const T* x, Complex* line, Checkpoints& checkpoints) const {
    const int64_t stride = lines_.inner * lines_.in_parts;
    checkpoints.in_parts(lines_.n, kElementWork,
                         [&](int64_t k, int64_t end) { std::fill(line + k, line + end, Complex()); });
    checkpoints.in_parts(lines_.used, kElementWork, [&](int64_t k, int64_t end) {
      for (; k < end; ++k) {
        const T* element = x + k * stride;
        line[k] = {double(element[0]), lines_.in_parts == 2 ? double(element[1]) : 0.0};
      }
    });
    if (!lines_.mirrored) return;
    line[0] = line[0].real();
    if (lines_.n % 2 == 0) line[lines_.n / 2] = line[lines_.n / 2].real();
    checkpoints.in_parts((lines_.n + 1) / 2, kElementWork, [&](int64_t k, int64_t end) {
      for (k = std::max<int64_t>(k, 1); k < end; ++k) line[lines_.n - k] = std::conj(line[k]);
    });
  }

  void write(const Complex* line, T* y, Checkpoints& checkpoints) const {
    const int64_t stride = lines_.inner * lines_.out_parts;
    checkpoints.in_parts(lines_.out, kElementWork, [&](int64_t k, int64_t end) {
      for (; k < end; ++k) {
        y[k * stride] = T(line[k].real());
        if (lines_.out_parts == 2) y[k * stride + 1] = T(line[k].imag());
      }
    });
  }

  Lines lines_;
  Fft fft_;
};

/// DFT: the discrete Fourier transform along one axis, y[k] = sum over n of x[n] e^(-2 pi i kn/N), or its inverse, with
/// the factor 1/N. Computes in double. The input is truncated or padded with zeros to N = dft_length.
/// - input: float types [..., 1] (real) or [..., 2] (complex); output: [..., 2], unless onesided
/// - dft_length: int32/int64, one element; default the axis' length
/// - axis: not the last; an attribute (1) before opset 20, then an int64 input (-2)
/// - onesided: without inverse, the input is real and the output has the first N/2 + 1 elements. With inverse, the
///   input is such a spectrum, the output is real, [..., 1], and dft_length is by default twice the axis' length minus
///   one.
/// Source: https://onnx.ai/onnx/operators/onnx__DFT.html
class Dft final : public Op {
 public:
  explicit Dft(const NodeSpec& node)
      : inverse_(node.attr_or("inverse", false)),
        onesided_(node.attr_or("onesided", false)),
        axis_is_input_(node.opset >= 20),
        axis_(axis_is_input_ ? -2 : node.attr_or("axis", 1)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, axis_is_input_ ? 3 : 2);
    require_floating(in[0], "input");
    require_rank_at_least(in[0], 2, "input");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    check_parts(in[0]);
    Dims dims = *in[0].dims;
    dims.back() = inverse_ && onesided_ ? 1 : 2;
    const std::optional<int> axis = this->axis(in);
    for (int d = 0; d + 1 < in[0].rank(); ++d) {
      if (!axis) dims[size_t(d)] = Dim();
    }
    if (axis) dims[size_t(*axis)] = output_length(in, in[0].dim(*axis));
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const Shape x = in.shape(0);
    const int axis = *this->axis(facts), last = x.rank() - 1;
    Lines lines;
    lines.n = transform_length(facts, x[axis]).value();
    lines.in = x[axis];
    lines.out = in.output_shape(0)[axis];
    lines.mirrored = inverse_ && onesided_;
    lines.used = std::min(lines.in, lines.mirrored ? lines.n / 2 + 1 : lines.n);
    lines.outer = x.elements(0, axis);
    lines.inner = x.elements(axis + 1, last);
    lines.in_parts = int(x[last]);
    lines.out_parts = lines.mirrored ? 1 : 2;
    lines.inverse = inverse_;
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr { return std::make_unique<DftKernel<T>>(lines); });
  }

  std::vector<int> value_inputs() const override { return {1, 2}; }

 private:
  void check_parts(const Fact& x) const {
    const Dim& parts = x.dim(x.rank() - 1);
    if (!parts.known()) return;
    if (parts.value() != 1 && parts.value() != 2) {
      throw Error(ErrorKind::kShape, str("the last dim of input must be 1 (real) or 2 (complex), got ", x));
    }
    if (onesided_ && !inverse_ && parts.value() == 2) {
      throw Error(ErrorKind::kShape, str("a onesided transform needs real input [..., 1], got ", x));
    }
  }

  /// The axis; nullopt while its input is unknown.
  std::optional<int> axis(std::span<const Fact> in) const {
    int64_t axis = axis_;
    if (has_input(in, 2)) {
      const auto values = constant_ints(in[2]);
      if (!values) return std::nullopt;
      require_one_element(in[2], "axis");
      axis = values->front();
    }
    const int result = normalize_axis(axis, in[0].rank());
    if (result == in[0].rank() - 1) {
      throw Error(ErrorKind::kShape, str("axis must not be the last one of ", in[0], ", got ", axis));
    }
    return result;
  }

  Dim transform_length(std::span<const Fact> in, const Dim& length) const {
    Dim n = inverse_ && onesided_ ? checked_mul(2, length - 1) : length;
    if (has_input(in, 1)) {
      const auto values = determined_ints(in[1]);
      if (!values) return Dim();
      require_one_element(in[1], "dft_length");
      n = max(values->front(), 0);
    }
    learn_at_least(n, 1);
    if (n.known() && n.value() < 1) throw Error(ErrorKind::kShape, str("dft_length must be at least 1, got ", n));
    return n;
  }

  Dim output_length(std::span<const Fact> in, const Dim& length) const {
    const Dim n = transform_length(in, length);
    return onesided_ && !inverse_ ? floor_div(n, 2) + 1 : n;
  }

  bool inverse_, onesided_, axis_is_input_;
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(dft)(Registry& registry) { registry.add<Dft>("DFT", {.since = 17}); }

}  // namespace linnet

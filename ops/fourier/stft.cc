#include "elements/dispatch.h"
#include "fourier/fft.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

struct Frames {
  int64_t batch = 0, length = 0, step = 0, count = 0, bins = 0;
  int parts = 1;
  bool has_window = false;
};

template <class T>
class StftKernel final : public Kernel {
 public:
  StftKernel(const Frames& frames, int64_t n) : frames_(frames), fft_(n) {}

  void run(KernelContext& context) const override {
    const T* signal = context.input(0).data<T>();
    const T* window = frames_.has_window ? context.input(2).data<T>() : nullptr;
    T* y = context.output(0).data<T>();
    const Frames& f = frames_;
    parallel_items(context.executor(), f.batch * f.count, 8 * fft_.size(), [&](int64_t begin, int64_t end, int worker) {
      Checkpoints checkpoints;
      auto* line = reinterpret_cast<Complex*>(context.scratch(worker));
      for (int64_t i = begin; i < end; ++i) {
        read(signal + (i / f.count * f.length + i % f.count * f.step) * f.parts, window, line, checkpoints);
        fft_.forward(line, line + fft_.size());
        write(line, y + i * f.bins * 2, checkpoints);
      }
    });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kComplex128, fft_.size() + fft_.scratch_size()); }

 private:
  static constexpr int64_t kElementWork = 4;

  void read(const T* x, const T* window, Complex* line, Checkpoints& checkpoints) const {
    checkpoints.in_parts(fft_.size(), kElementWork, [&](int64_t k, int64_t end) {
      for (; k < end; ++k) {
        const double weight = window ? double(window[k]) : 1.0;
        line[k] = {weight * double(x[k * frames_.parts]), frames_.parts == 2 ? weight * double(x[k * 2 + 1]) : 0.0};
      }
    });
  }

  void write(const Complex* line, T* y, Checkpoints& checkpoints) const {
    checkpoints.in_parts(frames_.bins, kElementWork, [&](int64_t k, int64_t end) {
      for (; k < end; ++k) {
        y[2 * k] = T(line[k].real());
        y[2 * k + 1] = T(line[k].imag());
      }
    });
  }

  Frames frames_;
  Fft fft_;
};

/// STFT: the discrete Fourier transforms of frames of frame_length samples, which start every frame_step samples and
/// are multiplied by a window. Computes in double.
/// - signal: float types [batch, samples, 1] (real) or [batch, samples, 2] (complex); also [batch, samples], real,
///   which ONNX Runtime supports and onnx-asr writes
/// - frame_step: int32/int64, one element
/// - window (ones): the signal's dtype [frame_length]
/// - frame_length: int32/int64, one element; default the window's length, else that of the signal
/// - output: [batch, frames, bins, 2] with frame_length bins or, with onesided (the default, only for real signals),
///   frame_length / 2 + 1
/// Source: https://onnx.ai/onnx/operators/onnx__STFT.html
class Stft final : public Op {
 public:
  explicit Stft(const NodeSpec& node) : onesided_(node.attr_or("onesided", true)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    require_floating(in[0], "signal");
    if (has_input(in, 2)) {
      require_same_dtype(in[0], in[2], "signal and window");
      require_rank(in[2], 1, "window");
    }
    if (!in[0].has_rank()) return {Fact(in[0].dtype, Dims{Dim(), Dim(), Dim(), 2})};
    check_parts(in[0]);
    const Dim n = frame_length(in);
    const Dim bins = onesided_ ? floor_div(n, 2) + 1 : n;
    return {Fact(in[0].dtype, Dims{in[0].dim(0), frame_count(in, n), bins, 2})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0), y = in.output_shape(0);
    const int64_t n = in.has(3) ? tensor_ints(*in.constant(3))[0] : in.has(2) ? in.shape(2)[0] : x[1];
    const Frames frames{x[0],     x[1], tensor_ints(*in.constant(1))[0], y[1], y[2], x.rank() == 3 ? int(x[2]) : 1,
                        in.has(2)};
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<StftKernel<T>>(frames, n); });
  }

  std::vector<int> value_inputs() const override { return {1, 3}; }

 private:
  void check_parts(const Fact& signal) const {
    const Dim parts = signal.rank() == 3 ? signal.dim(2) : Dim(1);
    const bool fits = !parts.known() || parts.value() == 1 || (parts.value() == 2 && !onesided_);
    if (fits && (signal.rank() == 2 || signal.rank() == 3)) return;
    throw Error(
        ErrorKind::kShape,
        str("signal must be [batch, samples, 1] or [batch, samples], or with onesided 0 [batch, samples, 2], got ",
            signal));
  }

  /// The only value of input i, at least 1.
  static Dim positive(std::span<const Fact> in, int i, const char* name) {
    const auto values = determined_ints(in[size_t(i)]);
    if (!values) return Dim();
    if (values->size() != 1 || (values->front().known() && values->front().value() < 1)) {
      throw Error(ErrorKind::kShape, str(name, " must be one element of at least 1, got ",
                                         values->size() == 1 ? values->front() : Dim(int64_t(values->size())),
                                         values->size() == 1 ? "" : " elements"));
    }
    learn_at_least(values->front(), 1);
    return values->front();
  }

  static Dim frame_length(std::span<const Fact> in) {
    const bool given = has_input(in, 3);
    const Dim n = given ? positive(in, 3, "frame_length") : Dim();
    const Dim fallback = in[0].dim(1);
    if (!has_input(in, 2)) return given ? n : fallback;
    return in[2].has_rank() ? merge_dim(n, in[2].dim(0), "frame_length and the length of window") : n;
  }

  static Dim frame_count(std::span<const Fact> in, const Dim& n) {
    const Dim step = positive(in, 1, "frame_step"), samples = in[0].dim(1);
    const bool known = n.known() && step.known() && samples.known();
    if (known && (n.value() < 1 || n.value() > samples.value())) {
      throw Error(ErrorKind::kShape, str("a frame of ", n, " samples does not fit into a signal of ", samples));
    }
    learn_at_least(n, 1);
    learn_at_least(samples, n);
    return floor_div(samples - n, step) + 1;
  }

  bool onesided_;
};

}  // namespace

LINNET_REGISTER(stft)(Registry& registry) { registry.add<Stft>("STFT", {.since = 17}); }

}  // namespace linnet

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "elements/dispatch.h"
#include "elements/wide.h"
#include "infer/checked_values.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

double mel_of(double hertz) { return 2595 * std::log1p(hertz / 700) / std::numbers::ln10; }
double hertz_of(double mel) { return 700 * std::expm1(mel / 2595 * std::numbers::ln10); }

/// The spectrum bins at which a triangle begins, peaks and ends.
struct Triangle {
  double low, centre, high;

  double at(double bin) const {
    if (bin == centre) return 1;
    if (bin >= low && bin < centre) return (bin - low) / (centre - low);
    return bin > centre && bin < high ? (high - bin) / (high - centre) : 0;
  }
};

/// Triangles whose corners are `step` apart on the mel scale, beginning at `low`.
struct Bands {
  double low, step, length, rate;

  double corner(int64_t i) const { return std::floor((length + 1) * hertz_of(double(i) * step + low) / rate); }
};

template <class T>
class MelWeightMatrixKernel final : public Kernel {
 public:
  explicit MelWeightMatrixKernel(const Bands& bands) : bands_(bands) {}

  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    const int64_t rows = y.dim(0), columns = y.dim(1);
    if (y.size() == 0) return;
    std::memset(y.raw(), 0, y.bytes());  // zero in every dtype
    // A corner may be infinite or NaN.
    const auto bin_of = [&](double corner) { return corner < double(rows) ? int64_t(std::max(corner, 0.0)) : rows; };
    const int64_t work = checked_mul(kBinWork, ceil_div(rows, columns));
    parallel_items(context.executor(), columns, work, [&](int64_t band, int64_t end, int) {
      Triangle triangle{0, bands_.corner(band), bands_.corner(band + 1)};
      for (; band < end; ++band) {
        triangle = {triangle.centre, triangle.high, bands_.corner(band + 2)};
        const int64_t first = bin_of(triangle.low), last = bin_of(triangle.high + 1);
        Checkpoints().in_parts(last - first, kBinWork, [&](int64_t from, int64_t to) {
          T* column = y.data<T>() + band;
          for (int64_t bin = first + from; bin < first + to; ++bin) {
            column[bin * columns] = stored<T>(triangle.at(double(bin)));
          }
        });
      }
    });
  }

 private:
  static constexpr int64_t kBinWork = 8;

  Bands bands_;
};

/// MelWeightMatrix: the weights that map a spectrum of dft_length / 2 + 1 bins to num_mel_bins bands. The bands are
/// triangles of height 1, whose corners are equally spaced on the mel scale, mel(f) = 2595 log10(1 + f / 700), and
/// rounded down to a bin. The spacing is 1 / (num_mel_bins + 2) of the range, as in the reference implementation.
/// - num_mel_bins, dft_length, sample_rate: int32/int64, one element each
/// - lower_edge_hertz, upper_edge_hertz: float types, one element each
/// - output: [dft_length / 2 + 1, num_mel_bins], numbers of the attribute output_datatype (float)
/// Source: https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
class MelWeightMatrix final : public Op {
 public:
  explicit MelWeightMatrix(const NodeSpec& node) : dtype_(dtype_attribute(node, "output_datatype", DType::kFloat32)) {
    dispatch_stored(dtype_, []<class T>() {});
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 5, 5);
    static constexpr const char* kNames[] = {"num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz",
                                             "upper_edge_hertz"};
    for (size_t i = 0; i < in.size(); ++i) {
      if (i >= 3) require_floating(in[i], kNames[i]);
      require_one_element(in[i], kNames[i]);
    }
    Dim bands, bins;
    if (const auto values = constant_ints(in[0])) bands = not_negative(values->front(), kNames[0]);
    if (const auto values = constant_ints(in[1])) bins = not_negative(values->front(), kNames[1]) / 2 + 1;
    return {Fact(dtype_, Dims{bins, bands})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const auto integer = [&](int i) { return double(tensor_ints(*in.constant(i))[0]); };
    const auto real = [&](int i) {
      Wide value;
      wide_reader(in.dtype(i))(in.constant(i)->raw(), 0, 1, &value);
      return value.d;
    };
    const double length = integer(1), rate = integer(2), low = mel_of(real(3)), high = mel_of(real(4));
    if (rate < 1) throw Error(ErrorKind::kModel, str("sample_rate must be at least 1, got ", rate));
    if (!(low >= 0 && low <= high)) {
      throw Error(ErrorKind::kModel,
                  str("lower_edge_hertz must be between 0 and upper_edge_hertz ", real(4), ", got ", real(3)));
    }
    const double step = (high - low) / (double(in.output_shape(0)[1]) + 2);
    return dispatch_stored(dtype_, [&]<class T>() -> KernelPtr {
      return std::make_unique<MelWeightMatrixKernel<T>>(Bands{low, step, length, rate});
    });
  }

  std::vector<int> value_inputs() const override { return {0, 1, 2, 3, 4}; }

 private:
  static int64_t not_negative(int64_t value, const char* name) {
    if (value < 0) throw Error(ErrorKind::kShape, str(name, " must not be negative, got ", value));
    return value;
  }

  DType dtype_;
};

}  // namespace

LINNET_REGISTER(mel_weight_matrix)(Registry& registry) {
  registry.add<MelWeightMatrix>("MelWeightMatrix", {.since = 17});
}

}  // namespace linnet

#include <algorithm>

#include "conv/gemm_conv_weights.h"
#include "conv/window_rows.h"
#include "gemm/byte_operands.h"
#include "gemm/widened_products.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

enum ByteInput { kByteX, kByteW, kByteXZero, kByteWZero };

constexpr int64_t kBlockPixels = 64;  // pixels of x that are widened channel by channel

ConvGeometry with_even_groups(ConvGeometry geometry) {
  geometry.in_channels = checked_mul(geometry.group, checked_mul(2, ceil_div(geometry.group_in(), 2)));
  return geometry;
}

GemmSizes sizes_of(const CompileInput& in, const ConvGeometry& geometry, const ConvWindows& windows) {
  return {.rows = checked_mul(geometry.batch, geometry.out_pixels()),
          .columns = geometry.group_out(),
          .taps = windows.taps(),
          .depth = windows.depth(),
          .workers = in.executor().workers(),
          .row_scratch_bytes = windows.scratch_bytes(sizeof(int16_t))};
}

ByteMatrices w_matrices(const CompileInput& in, const ConvGeometry& geometry) {
  ByteMatrices w{.input = kByteW, .zero_input = kByteWZero, .count = geometry.group};
  w.matrix = conv_matrices<uint8_t>(geometry, nullptr, 0);
  if (in.has(kByteWZero) && in.shape(kByteWZero).elements() > 1) {
    w.zero = {.matrix = geometry.group_out(), .column = 1};
  }
  return w;
}

/// Checks x, w and their zero points (one element for x; one element, or one for each output channel, for w). Returns
/// the output's dims.
std::optional<Dims> byte_conv_dims(std::span<const Fact> in, const ConvAttributes& attributes) {
  const Fact &x = in[kByteX], &w = in[kByteW];
  require_dtype_in(x, kByteTypes, "x");
  require_dtype_in(w, kByteTypes, "w");
  const Dim channels = w.has_rank() && w.rank() > 0 ? w.dim(0) : Dim();
  if (has_input(in, kByteXZero)) {
    require_same_dtype(x, in[kByteXZero], "x and x_zero_point");
    check_channel_parameter(in[kByteXZero], channels, false, "x_zero_point");
  }
  if (has_input(in, kByteWZero)) {
    require_same_dtype(w, in[kByteWZero], "w and w_zero_point");
    check_channel_parameter(in[kByteWZero], channels, true, "w_zero_point");
  }
  if (!x.has_rank() || !w.has_rank()) return std::nullopt;
  check_conv(attributes, {}, x, w);
  return conv_output_dims(attributes, {}, x, w);
}

/// Computes the sums of (x - x_zero) * (w - w_zero) over a window, modulo 2^32. Positions in the padding count as 0.
class ConvIntegerKernel final : public Kernel {
 public:
  ConvIntegerKernel(const CompileInput& in, const ConvGeometry& geometry);

  void run(KernelContext& context) const override;
  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != kByteW || !products_.packed(); }
  std::string describe() const override { return products_.describe(); }

 private:
  void widen_images(KernelContext& context, int16_t* to) const;
  void store(int64_t first_channel, Span pixels, int64_t channels, const int32_t* sums, int32_t* y) const;

  int64_t group_channels_;  // input channels of a group of x
  ConvGeometry geometry_;   // geometry of the widened x, whose groups have an even number of channels
  ConvWindows windows_;
  WidenedProducts products_;
  size_t x_offset_, scratch_bytes_;
};

ConvIntegerKernel::ConvIntegerKernel(const CompileInput& in, const ConvGeometry& geometry)
    : group_channels_(geometry.group_in()),
      geometry_(with_even_groups(geometry)),
      windows_(geometry_),
      products_(in, sizes_of(in, geometry_, windows_), w_matrices(in, geometry)),
      x_offset_(products_.scratch_bytes()) {
  const int64_t pixels = checked_mul(geometry.batch, geometry.in_pixels());
  scratch_bytes_ = x_offset_ + dtype_bytes(DType::kInt16, checked_mul(pixels, geometry_.in_channels));
}

void ConvIntegerKernel::run(KernelContext& context) const {
  auto* x = reinterpret_cast<int16_t*>(context.scratch() + x_offset_);
  widen_images(context, x);
  const auto rows = [&](int64_t group) { return WindowRows<int16_t>(windows_, x + group * geometry_.group_in()); };
  const auto matrix = [](int64_t group) { return group; };
  auto* y = context.output(0).data<int32_t>();
  products_.run(context, geometry_.group, rows, matrix,
                [&](int64_t group, Span pixels, Span channels, const int32_t* sums) {
                  store(group * geometry_.group_out() + channels.begin, pixels, channels.size(), sums, y);
                });
}

/// Writes x less its zero point in channels-last order.
void ConvIntegerKernel::widen_images(KernelContext& context, int16_t* to) const {
  const Bytes x(context.input(kByteX), context.input(kByteXZero));
  const int64_t pixels = geometry_.in_pixels(), channels = geometry_.in_channels, group = geometry_.group_in();
  const int64_t blocks = ceil_div(pixels, kBlockPixels), planes = geometry_.group * group_channels_;
  context.executor().parallel_for(geometry_.batch * blocks, [&](int64_t block, int) {
    const int64_t image = block / blocks, first = block % blocks * kBlockPixels;
    const int64_t count = std::min(kBlockPixels, pixels - first);
    int16_t* pixel = to + (image * pixels + first) * channels;
    if (group_channels_ < group) std::fill_n(pixel, count * channels, int16_t{0});
    for (int64_t c = 0; c < planes; ++c) {
      x.scatter((image * planes + c) * pixels + first, count, x.zero(0),
                pixel + c / group_channels_ * group + c % group_channels_, channels);
    }
  });
}

/// Stores the sums of these pixels of all images, one for each channel from the first on, in their planes of y.
void ConvIntegerKernel::store(int64_t first_channel, Span pixels, int64_t channels, const int32_t* sums,
                              int32_t* y) const {
  const int64_t image_pixels = geometry_.out_pixels();
  while (pixels.size() > 0) {
    const int64_t image = pixels.begin / image_pixels, pixel = pixels.begin % image_pixels;
    const int64_t count = std::min(pixels.size(), image_pixels - pixel);
    for (int64_t c = 0; c < channels; ++c) {
      int32_t* plane = y + (image * geometry_.out_channels + first_channel + c) * image_pixels + pixel;
      for (int64_t i = 0; i < count; ++i) plane[i] = sums[i * channels + c];
    }
    pixels.begin += count;
    sums += count * channels;
  }
}

/// ConvInteger: the convolution of x - x_zero_point with w - w_zero_point; sums wrap modulo 2^32. The padding is 0
/// after the zero point is subtracted.
/// x: int8/uint8 [N, C, D1...]. w: int8/uint8 [M, C / group, k1...], one to three spatial axes. x_zero_point: x's
/// dtype, one element; 0 if absent. w_zero_point: w's dtype, one element or [M]; 0 if absent. y: int32 [N, M, E1...].
/// Source: https://onnx.ai/onnx/operators/onnx__ConvInteger.html
class ConvInteger final : public Op {
 public:
  explicit ConvInteger(const NodeSpec& node) : attributes_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    return {Fact(DType::kInt32, byte_conv_dims(in, attributes_))};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(1)); }

  KernelPtr compile(const CompileInput& in) const override {
    const ConvGeometry geometry = conv_geometry(attributes_, {}, in.shape(kByteX), in.shape(kByteW));
    return std::make_unique<ConvIntegerKernel>(in, geometry);
  }

 private:
  ConvAttributes attributes_;
};

}  // namespace

LINNET_REGISTER(conv_integer)(Registry& registry) { registry.add<ConvInteger>("ConvInteger", {.since = 10}); }

}  // namespace linnet

#include "conv/byte_conv.h"

#include <algorithm>
#include <array>

#include "conv/gemm_conv_weights.h"
#include "gemm/byte_operands.h"
#include "infer/infer.h"

namespace linnet {
namespace {

constexpr int64_t kBlockPixels = 64;  // of x that are widened channel by channel

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

ByteMatrices w_matrices(const CompileInput& in, const ConvGeometry& geometry, const ByteConvOperands& operands) {
  ByteMatrices w{.input = operands.w, .zero_input = operands.w_zero, .count = geometry.group};
  w.matrix = conv_matrices<uint8_t>(geometry, nullptr, 0);
  if (in.has(operands.w_zero) && in.shape(operands.w_zero).elements() > 1) {
    w.zero = {.matrix = geometry.group_out(), .column = 1};
  }
  return w;
}

}  // namespace

void check_channel_parameter(const Fact& parameter, const Dim& channels, bool per_channel, const char* name) {
  if (!parameter.concrete() || parameter.shape().elements() == 1) return;
  const Shape shape = parameter.shape();
  const bool fits = per_channel && shape.rank() == 1 && (!channels.known() || shape[0] == channels.value());
  if (fits) return;
  throw Error(ErrorKind::kShape, str(name, " must have one element", per_channel ? " or one per output channel" : "",
                                     ", got ", parameter));
}

std::optional<Dims> byte_conv_dims(std::span<const Fact> in, const ConvAttributes& attributes,
                                   const ByteConvOperands& operands) {
  static constexpr std::array kBytes{DType::kInt8, DType::kUint8};
  const Fact &x = in[size_t(operands.x)], &w = in[size_t(operands.w)];
  require_dtype_in(x, kBytes, "x");
  require_dtype_in(w, kBytes, "w");
  const Dim channels = w.has_rank() && w.rank() > 0 ? w.dim(0) : Dim();
  if (has_input(in, operands.x_zero)) {
    require_same_dtype(x, in[size_t(operands.x_zero)], "x and x_zero_point");
    check_channel_parameter(in[size_t(operands.x_zero)], channels, false, "x_zero_point");
  }
  if (has_input(in, operands.w_zero)) {
    require_same_dtype(w, in[size_t(operands.w_zero)], "w and w_zero_point");
    check_channel_parameter(in[size_t(operands.w_zero)], channels, true, "w_zero_point");
  }
  if (!x.has_rank() || !w.has_rank()) return std::nullopt;
  check_conv(attributes, {}, x, w);
  return conv_output_dims(attributes, {}, x, w);
}

ByteConvKernel::ByteConvKernel(const CompileInput& in, const ConvGeometry& geometry, const ByteConvOperands& operands)
    : operands_(operands),
      group_channels_(geometry.group_in()),
      geometry_(with_even_groups(geometry)),
      windows_(geometry_),
      products_(in, sizes_of(in, geometry_, windows_), w_matrices(in, geometry, operands)),
      x_offset_(products_.scratch_bytes()) {
  const int64_t pixels = checked_mul(geometry.batch, geometry.in_pixels());
  scratch_bytes_ = x_offset_ + dtype_bytes(DType::kInt16, checked_mul(pixels, geometry_.in_channels));
}

void ByteConvKernel::run(KernelContext& context) const {
  auto* x = reinterpret_cast<int16_t*>(context.scratch() + x_offset_);
  widen_images(context, x);
  const auto rows = [&](int64_t group) { return WindowRows<int16_t>(windows_, x + group * geometry_.group_in()); };
  const auto matrix = [](int64_t group) { return group; };
  products_.run(context, geometry_.group, rows, matrix,
                [&](int64_t group, Span pixels, Span channels, const int32_t* sums) {
                  store_part(context, group * geometry_.group_out() + channels.begin, pixels, channels.size(), sums);
                });
}

/// x less its zero point, channels-last.
void ByteConvKernel::widen_images(KernelContext& context, int16_t* to) const {
  const Bytes x(context.input(operands_.x), context.input(operands_.x_zero));
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

void ByteConvKernel::store_part(KernelContext& context, int64_t first_channel, Span pixels, int64_t channels,
                                const int32_t* sums) const {
  const int64_t image_pixels = geometry_.out_pixels();
  while (pixels.size() > 0) {
    const int64_t image = pixels.begin / image_pixels, pixel = pixels.begin % image_pixels;
    const int64_t count = std::min(pixels.size(), image_pixels - pixel);
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t channel = first_channel + c;
      store(context, channel, (image * geometry_.out_channels + channel) * image_pixels + pixel, count, sums + c,
            channels);
    }
    pixels.begin += count;
    sums += count * channels;
  }
}

}  // namespace linnet

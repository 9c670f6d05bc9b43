#include "conv/byte_conv.h"

#include <algorithm>
#include <array>

#include "gemm/integer_product.h"
#include "infer/infer.h"
#include "partition/parts.h"
#include "quantization/parameter.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Where in a plane of x the positions of the window of an output pixel are; -1: in the padding.
void tap_offsets(const ConvGeometry& g, int64_t pixel, int64_t* offsets) {
  const auto& [depth, height, width] = g.axes;
  const int64_t line = pixel / width.out;
  const auto position = [](const ConvAxis& axis, int64_t at, int64_t k) {
    const int64_t result = at * axis.stride - axis.pad_begin + k * axis.dilation;
    return result < axis.in ? result : -1;
  };
  for (int64_t kz = 0; kz < depth.kernel; ++kz) {
    const int64_t z = position(depth, line / height.out, kz);
    for (int64_t ky = 0; ky < height.kernel; ++ky) {
      const int64_t y = position(height, line % height.out, ky);
      for (int64_t kx = 0; kx < width.kernel; ++kx) {
        const int64_t x = position(width, pixel % width.out, kx);
        *offsets++ = z < 0 || y < 0 || x < 0 ? -1 : (z * height.in + y) * width.in + x;
      }
    }
  }
}

/// The window's differences from the zero point in one plane, 0 in the padding. Returns their sum.
template <class T>
int32_t gather_plane(const T* x, const int64_t* offsets, int64_t taps, int32_t zero, int16_t* window) {
  uint32_t sum = 0;
  for (int64_t t = 0; t < taps; ++t) {
    window[t] = offsets[t] < 0 ? int16_t{0} : int16_t(int32_t(x[offsets[t]]) - zero);
    sum += uint32_t(int32_t{window[t]});
  }
  return int32_t(sum);
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
      geometry_(geometry),
      has_x_zero_(in.has(operands.x_zero)),
      has_w_zero_(in.has(operands.w_zero)),
      w_zero_per_channel_(has_w_zero_ && in.shape(operands.w_zero).elements() > 1) {
  if (const Tensor* w = in.constant(operands.w)) {
    packed_w_ = in.packed(*w, {"int16"}, [&] {
      Tensor packed(DType::kInt16, w->shape());
      widen_weights(*w, packed.data<int16_t>());
      return packed;
    });
  }
}

/// Of a worker: widened weights (the first worker's only), windows and sums of a tile, offsets of a window.
struct ByteConvKernel::Scratch {
  size_t windows, sums, offsets, bytes;

  Scratch(const ConvGeometry& g, int64_t depth, bool weights)
      : windows(weights ? aligned(dtype_bytes(DType::kInt16, checked_mul(g.out_channels, depth))) : 0),
        sums(windows + aligned(dtype_bytes(DType::kInt16, checked_mul(kTilePixels, depth)))),
        offsets(sums + aligned(dtype_bytes(DType::kInt32, checked_mul(kTilePixels, g.group_out())))),
        bytes(offsets + dtype_bytes(DType::kInt64, g.taps())) {}
};

size_t ByteConvKernel::scratch_bytes() const { return Scratch(geometry_, depth(), !packed_w_).bytes; }

void ByteConvKernel::widen_weights(const Tensor& w, int16_t* wide) const {
  if (w.dtype() == DType::kInt8) {
    widen(w.data<int8_t>(), w.size(), 0, wide);
  } else {
    widen(w.data<uint8_t>(), w.size(), 0, wide);
  }
}

void ByteConvKernel::run(KernelContext& context) const {
  const ConvGeometry& g = geometry_;
  if (!packed_w_) widen_weights(context.input(operands_.w), reinterpret_cast<int16_t*>(context.scratch()));
  const int16_t* w = packed_w_ ? packed_w_.data<int16_t>() : reinterpret_cast<const int16_t*>(context.scratch());
  const int64_t tiles = ceil_div(g.out_pixels(), kTilePixels);
  context.executor().parallel_for(g.batch * g.group * tiles, [&](int64_t tile, int worker) {
    const int64_t first = tile % tiles * kTilePixels;
    run_pixels(context, tile / tiles, first, std::min(kTilePixels, g.out_pixels() - first), w, context.scratch(worker));
  });
}

int32_t ByteConvKernel::gather(const Tensor& x, int64_t first_channel, const int64_t* offsets, int32_t zero,
                               int16_t* window) const {
  const int64_t taps = geometry_.taps();
  uint32_t sum = 0;
  for (int64_t c = 0; c < geometry_.group_in(); ++c, window += taps) {
    const int64_t plane = (first_channel + c) * geometry_.in_pixels();
    sum += uint32_t(x.dtype() == DType::kInt8 ? gather_plane(x.data<int8_t>() + plane, offsets, taps, zero, window)
                                              : gather_plane(x.data<uint8_t>() + plane, offsets, taps, zero, window));
  }
  return int32_t(sum);
}

void ByteConvKernel::run_pixels(KernelContext& context, int64_t image_group, int64_t first, int64_t pixels,
                                const int16_t* w, std::byte* scratch) const {
  const ConvGeometry& g = geometry_;
  const Scratch layout(g, depth(), !packed_w_);
  auto* windows = reinterpret_cast<int16_t*>(scratch + layout.windows);
  auto* sums = reinterpret_cast<int32_t*>(scratch + layout.sums);
  auto* offsets = reinterpret_cast<int64_t*>(scratch + layout.offsets);
  const Tensor& x = context.input(operands_.x);
  const int32_t x_zero = has_x_zero_ ? byte_at(context.input(operands_.x_zero), 0) : 0;
  std::array<int32_t, kTilePixels> x_sums;
  for (int64_t r = 0; r < pixels; ++r) {
    tap_offsets(g, first + r, offsets);
    x_sums[size_t(r)] = gather(x, image_group * g.group_in(), offsets, x_zero, windows + r * depth());
  }
  const int64_t first_channel = image_group % g.group * g.group_out();
  dot_products(windows, pixels, w + first_channel * depth(), g.group_out(), depth(), sums);
  store_channels(context, image_group, first, std::span(x_sums).first(size_t(pixels)), sums);
}

void ByteConvKernel::store_channels(KernelContext& context, int64_t image_group, int64_t first,
                                    std::span<const int32_t> x_sums, const int32_t* sums) const {
  const ConvGeometry& g = geometry_;
  for (int64_t o = 0; o < g.group_out(); ++o) {
    const int64_t channel = image_group % g.group * g.group_out() + o;
    const int32_t w_zero =
        has_w_zero_ ? byte_at(context.input(operands_.w_zero), w_zero_per_channel_ ? channel : 0) : 0;
    std::array<int32_t, kTilePixels> values;
    for (size_t r = 0; r < x_sums.size(); ++r) {
      values[r] = wrapped_sub(sums[int64_t(r) * g.group_out() + o], wrapped_mul(x_sums[r], w_zero));
    }
    store(context, channel, (image_group * g.group_out() + o) * g.out_pixels() + first,
          std::span(values).first(x_sums.size()));
  }
}

}  // namespace linnet

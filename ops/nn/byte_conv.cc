#include "nn/byte_conv.h"

#include <algorithm>
#include <array>

#include "infer.h"
#include "math/integer_product.h"
#include "quantization/parameter.h"

namespace linnet {
namespace {

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/// One channel of a window: differences from the zero point, 0 in the padding. Returns their sum.
template <class T>
int32_t gather_channel(const ConvGeometry& g, const T* x, const std::array<int64_t, 3>& out, int32_t zero,
                       int16_t* window) {
  const auto& [depth, height, width] = g.axes;
  const auto position = [](const ConvAxis& axis, int64_t at, int64_t k) {
    return at * axis.stride - axis.pad_begin + k * axis.dilation;
  };
  const auto inside = [](const ConvAxis& axis, int64_t at) { return at >= 0 && at < axis.in; };
  int32_t sum = 0;
  for (int64_t kz = 0; kz < depth.kernel; ++kz) {
    const int64_t z = position(depth, out[0], kz);
    for (int64_t ky = 0; ky < height.kernel; ++ky) {
      const int64_t y = position(height, out[1], ky);
      const bool line = inside(depth, z) && inside(height, y);
      for (int64_t kx = 0; kx < width.kernel; ++kx) {
        const int64_t column = position(width, out[2], kx);
        const bool valid = line && inside(width, column);
        *window = valid ? int16_t(int32_t(x[(z * height.in + y) * width.in + column]) - zero) : int16_t{0};
        sum += *window++;
      }
    }
  }
  return sum;
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
    packed_w_ = in.packed(*w, "int16", [&] {
      Tensor packed(DType::kInt16, w->shape());
      widen_weights(*w, packed.data<int16_t>());
      return packed;
    });
  }
}

size_t ByteConvKernel::scratch_bytes() const {
  const size_t rows = aligned(dtype_bytes(DType::kInt16, checked_mul(kIntegerRows, depth()))) +
                      dtype_bytes(DType::kInt32, checked_mul(kIntegerRows, geometry_.group_out()));
  return rows + (packed_w_ ? 0 : aligned(dtype_bytes(DType::kInt16, checked_mul(geometry_.out_channels, depth()))));
}

void ByteConvKernel::widen_weights(const Tensor& w, int16_t* wide) const {
  if (w.dtype() == DType::kInt8) {
    widen(w.data<int8_t>(), w.size(), 0, wide);
  } else {
    widen(w.data<uint8_t>(), w.size(), 0, wide);
  }
}

void ByteConvKernel::run(KernelContext& context) const {
  const ConvGeometry& g = geometry_;
  const size_t offset = packed_w_ ? 0 : aligned(dtype_bytes(DType::kInt16, g.out_channels * depth()));
  if (!packed_w_) widen_weights(context.input(operands_.w), reinterpret_cast<int16_t*>(context.scratch()));
  const int16_t* w = packed_w_ ? packed_w_.data<int16_t>() : reinterpret_cast<const int16_t*>(context.scratch());
  const int64_t tiles = (g.out_pixels() + kIntegerRows - 1) / kIntegerRows;
  context.executor().parallel_for(g.batch * g.group * tiles, [&](int64_t tile, int worker) {
    const int64_t first = tile % tiles * kIntegerRows;
    run_pixels(context, tile / tiles, first, std::min(kIntegerRows, g.out_pixels() - first), w,
               context.scratch(worker) + offset);
  });
}

int32_t ByteConvKernel::gather(const Tensor& x, int64_t first_channel, int64_t pixel, int32_t zero,
                               int16_t* window) const {
  const ConvGeometry& g = geometry_;
  const int64_t line = pixel / g.axes[2].out;
  const std::array<int64_t, 3> out{line / g.axes[1].out, line % g.axes[1].out, pixel % g.axes[2].out};
  uint32_t sum = 0;
  for (int64_t c = 0; c < g.group_in(); ++c) {
    const int64_t offset = (first_channel + c) * g.in_pixels();
    int16_t* to = window + c * g.taps();
    sum += uint32_t(x.dtype() == DType::kInt8 ? gather_channel(g, x.data<int8_t>() + offset, out, zero, to)
                                              : gather_channel(g, x.data<uint8_t>() + offset, out, zero, to));
  }
  return int32_t(sum);
}

void ByteConvKernel::run_pixels(KernelContext& context, int64_t image_group, int64_t first, int64_t pixels,
                                const int16_t* w, std::byte* scratch) const {
  const ConvGeometry& g = geometry_;
  auto* tile = reinterpret_cast<int16_t*>(scratch);
  auto* sums = reinterpret_cast<int32_t*>(scratch + aligned(dtype_bytes(DType::kInt16, kIntegerRows * depth())));
  const int32_t x_zero = has_x_zero_ ? byte_at(context.input(operands_.x_zero), 0) : 0;
  const int64_t first_channel = image_group % g.group * g.group_out();
  int32_t x_sums[kIntegerRows];
  for (int64_t r = 0; r < pixels; ++r) {
    x_sums[r] = gather(context.input(operands_.x), image_group * g.group_in(), first + r, x_zero, tile + r * depth());
  }
  dot_products(tile, pixels, w + first_channel * depth(), g.group_out(), depth(), sums);
  for (int64_t o = 0; o < g.group_out(); ++o) {
    const int64_t channel = first_channel + o;
    const int32_t w_zero =
        has_w_zero_ ? byte_at(context.input(operands_.w_zero), w_zero_per_channel_ ? channel : 0) : 0;
    const int64_t element = (image_group * g.group_out() + o) * g.out_pixels() + first;
    for (int64_t r = 0; r < pixels; ++r) {
      const int32_t sum = wrapped_sub(sums[r * g.group_out() + o], wrapped_mul(x_sums[r], w_zero));
      store(context, channel, element + r, sum);
    }
  }
}

}  // namespace linnet

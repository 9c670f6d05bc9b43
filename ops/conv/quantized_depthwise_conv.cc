#include <algorithm>

#include "conv/quantized_conv.h"
#include "conv/window_rows.h"
#include "kernels/kernel_table.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

constexpr int64_t kChunkSums = 4 * 1024;  // that stay in the first-level cache until they are stored

int64_t pairs_of(const ConvGeometry& geometry) { return ceil_div(geometry.taps(), 2); }
int64_t even_taps(const ConvGeometry& geometry) { return checked_mul(2, pairs_of(geometry)); }

/// [pair][channel][2] of [channel][tap].
void pack(const int8_t* w, int64_t channels, int64_t taps, int16_t* to) {
  for (int64_t t = 0; t < ceil_div(taps, 2) * 2; ++t) {
    for (int64_t c = 0; c < channels; ++c)
      to[(t / 2 * channels + c) * 2 + t % 2] = t < taps ? w[c * taps + t] : int16_t{0};
  }
}

/// Scratch of each worker: the addresses of a chunk's windows, its sums. Of the first one also: what sums begin with,
/// the output's, a line of padding, the weights where they are not constant.
class QuantizedDepthwiseConv final : public Kernel {
 public:
  QuantizedDepthwiseConv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in)
      : geometry_(geometry),
        windows_(geometry),
        kernels_(kernel_table(in.isa()).depthwise_u8),
        output_(in, geometry.out_channels, activation) {
    const int64_t channels = geometry.in_channels;
    pixels_ = checked_mul(geometry.batch, geometry.out_pixels());
    chunk_pixels_ = std::clamp<int64_t>(kChunkSums / std::max<int64_t>(1, channels), 1, 16);
    sums_offset_ = aligned(dtype_bytes(DType::kInt64, checked_mul(even_taps(geometry), chunk_pixels_)));
    begin_offset_ = sums_offset_ + aligned(dtype_bytes(DType::kInt32, checked_mul(chunk_pixels_, channels)));
    output_offset_ = begin_offset_ + aligned(dtype_bytes(DType::kInt32, channels));
    padding_offset_ = output_offset_ + output_.scratch_bytes();
    w_offset_ = padding_offset_ + aligned(size_t(windows_.padding_values()));
    const int64_t values = checked_mul(even_taps(geometry), channels);
    const Tensor* w = in.constant(Q::kW);
    scratch_bytes_ = w_offset_ + (w ? 0 : dtype_bytes(DType::kInt16, values));
    if (!w) return;
    packed_ = in.packed(*w, {"quantized depthwise"}, [&] {
      Tensor packed = in.packed_memory(DType::kInt16, Shape{values});
      pack(w->data<int8_t>(), channels, geometry.taps(), packed.data<int16_t>());
      return packed;
    });
  }

  void run(KernelContext& context) const override {
    const QuantizedOutput::Bound output = output_.bind(context, context.scratch() + output_offset_);
    const uint8_t zero = *context.input(Q::kXZero).data<uint8_t>();
    auto* padding = reinterpret_cast<uint8_t*>(context.scratch() + padding_offset_);
    std::fill_n(padding, windows_.padding_values(), zero);
    const int16_t* w = packed_ ? packed_.data<int16_t>() : pack_in_scratch(context);
    const int32_t* begin = begin_sums(context, w, zero);
    const WindowRows<uint8_t> windows(windows_, context.input(Q::kX).data<uint8_t>(), {.line = padding});
    context.executor().parallel_for(ceil_div(pixels_, chunk_pixels_), [&](int64_t chunk, int worker) {
      const Span pixels{chunk * chunk_pixels_, std::min(pixels_, (chunk + 1) * chunk_pixels_)};
      run_chunk(windows, pixels, w, begin, output, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != Q::kW || !packed_; }
  std::string describe() const override { return "u8s8 depthwise"; }

 private:
  const int16_t* pack_in_scratch(KernelContext& context) const {
    auto* packed = reinterpret_cast<int16_t*>(context.scratch() + w_offset_);
    pack(context.input(Q::kW).data<int8_t>(), geometry_.in_channels, geometry_.taps(), packed);
    return packed;
  }

  const int32_t* begin_sums(KernelContext& context, const int16_t* w, uint8_t zero) const {
    auto* begin = reinterpret_cast<int32_t*>(context.scratch() + begin_offset_);
    const int64_t channels = geometry_.in_channels;
    const int32_t* bias = output_.sum_bias(context);
    for (int64_t c = 0; c < channels; ++c) {
      int32_t sum = 0;
      for (int64_t p = 0; p < pairs_of(geometry_); ++p) {
        sum += w[(p * channels + c) * 2] + w[(p * channels + c) * 2 + 1];
      }
      begin[c] = int32_t((bias ? uint32_t(bias[c]) : 0) - uint32_t(zero) * uint32_t(sum));
    }
    return begin;
  }

  void run_chunk(const WindowRows<uint8_t>& windows, const Span& pixels, const int16_t* w, const int32_t* begin,
                 const QuantizedOutput::Bound& output, std::byte* scratch) const {
    auto** pointers = reinterpret_cast<const uint8_t**>(scratch);
    const int64_t taps = windows_.taps(), count = pixels.size();
    windows.rows({.row = pixels.begin, .rows = int(count), .taps = taps, .depth = 1}, pointers, nullptr);
    if (taps % 2 != 0) std::copy_n(pointers, count, pointers + taps * count);
    auto* sums = reinterpret_cast<int32_t*>(scratch + sums_offset_);
    kernels_.sums({count, geometry_.in_channels, pairs_of(geometry_), pointers, w, begin, sums});
    output.store(pixels, {0, geometry_.out_channels}, sums);
  }

  ConvGeometry geometry_;
  ConvWindows windows_;
  DepthwiseBytesKernels kernels_;
  QuantizedOutput output_;
  int64_t pixels_, chunk_pixels_;
  size_t sums_offset_, begin_offset_, output_offset_, padding_offset_, w_offset_, scratch_bytes_;
  Tensor packed_;
};

}  // namespace

KernelPtr make_quantized_depthwise_conv(const ConvGeometry& geometry, const Activation& activation,
                                        const CompileInput& in) {
  return std::make_unique<QuantizedDepthwiseConv>(geometry, activation, in);
}

}  // namespace linnet

#include <algorithm>

#include "conv/quantized_conv.h"
#include "conv/window_rows.h"
#include "kernels/depthwise_u8.h"
#include "kernels/kernels_for.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

// The pixels and channels of a job stay in the first-level cache. The number of its sums is the product of both.
constexpr int64_t kMostPixels = 32, kJobChannels = 64, kMostSums = 2048;

/// Returns the number of columns that the windows of so many adjacent pixels read.
int64_t columns_of(const ConvAxis& width, int64_t pixels) {
  return pixels == 0 ? 0 : checked_add(checked_mul(pixels - 1, width.stride), width.extent());
}

/// Returns the geometry in which every position along a line is a separate window: a column, whose values are the taps
/// across.
ConvGeometry column_geometry(ConvGeometry geometry) {
  ConvAxis& width = geometry.axes[2];
  width.out = columns_of(width, width.out);
  width.kernel = width.stride = width.dilation = 1;
  return geometry;
}

/// Scratch of each worker: the addresses of a chunk's columns, its columns, its sums. Scratch of the first worker also:
/// the initial values of sums, the output's, a line of padding, the weights where they are not constant.
class QuantizedDepthwiseConv final : public Kernel {
 public:
  QuantizedDepthwiseConv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in)
      : geometry_(geometry),
        columns_(column_geometry(geometry)),
        kernels_(kernels_for<DepthwiseBytesKernels>(in.isa())),
        units_(ceil_div(columns_.taps(), kernels_.unit)),
        vectors_(ceil_div(geometry.in_channels, kernels_.lanes)),
        lines_(checked_mul(checked_mul(geometry.batch, geometry.axes[0].out), geometry.axes[1].out)),
        parts_(ceil_div(geometry.axes[2].out, kMostPixels)),
        output_(in, geometry.out_channels, activation) {
    lay_out_scratch();
    const Tensor* w = in.constant(Q::kW);
    if (!w) {
      scratch_bytes_ += packed_bytes();
      return;
    }
    const std::vector<int64_t> form{kernels_.lanes, kernels_.unit, columns_.taps()};
    packed_ = in.packed(*w, {"quantized depthwise", form}, [&] {
      Tensor packed = in.packed_memory(DType::kUint8, Shape{int64_t(packed_bytes())});
      pack(w->data<int8_t>(), static_cast<std::byte*>(packed.raw()));
      return packed;
    });
  }

  void run(KernelContext& context) const override {
    const QuantizedOutput::Bound output = output_.bind(context, context.scratch() + output_offset_);
    const uint8_t zero = *context.input(Q::kXZero).data<uint8_t>();
    auto* padding = reinterpret_cast<uint8_t*>(context.scratch() + padding_offset_);
    std::fill_n(padding, columns_.padding_values(), zero);
    const std::byte* w = packed_ ? static_cast<const std::byte*>(packed_.raw()) : pack_in_scratch(context);
    const int32_t* begin = begin_sums(context, w, zero);
    const WindowRows<uint8_t> columns(columns_, context.input(Q::kX).data<uint8_t>(), {.line = padding});
    context.executor().parallel_for(checked_mul(lines_, parts_), [&](int64_t chunk, int worker) {
      const Span pixels = Span{0, geometry_.axes[2].out}.part(parts_, chunk % parts_);
      run_chunk(columns, chunk / parts_, pixels, {.w = w, .begin = begin}, output, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != Q::kW || !packed_; }
  std::string describe() const override { return "u8s8 depthwise"; }

 private:
  void lay_out_scratch() {
    const int64_t most_columns = columns_of(geometry_.axes[2], std::min(kMostPixels, geometry_.axes[2].out));
    const int64_t values = checked_mul(checked_mul(units_, kernels_.unit), most_columns);
    columns_offset_ = aligned(dtype_bytes(DType::kInt64, values));
    const int64_t job_channels = std::min(kJobChannels, padded_channels());
    sums_offset_ = columns_offset_ +
                   aligned(dtype_bytes(DType::kInt32, checked_mul(checked_mul(units_, job_channels), most_columns)));
    begin_offset_ = sums_offset_ + dtype_bytes(DType::kInt32, kMostSums);
    output_offset_ = begin_offset_ + aligned(dtype_bytes(DType::kInt32, padded_channels()));
    padding_offset_ = output_offset_ + output_.scratch_bytes();
    w_offset_ = padding_offset_ + aligned(size_t(columns_.padding_values()));
    scratch_bytes_ = w_offset_;
  }

  int64_t padded_channels() const { return checked_mul(vectors_, kernels_.lanes); }
  /// The size of the weights in the packed form, in the units of 4 bytes that kernels read. The sums of each channel's
  /// weights follow them.
  size_t weights_bytes() const {
    return dtype_bytes(DType::kInt32, checked_mul(checked_mul(units_, geometry_.axes[2].kernel), padded_channels()));
  }
  size_t packed_bytes() const { return weights_bytes() + dtype_bytes(DType::kInt32, geometry_.in_channels); }

  void pack(const int8_t* w, std::byte* to) const {
    std::fill_n(to, packed_bytes(), std::byte{0});
    auto* sums = reinterpret_cast<int32_t*>(to + weights_bytes());
    const int64_t across = columns_.taps(), along = geometry_.axes[2].kernel;
    for (int64_t c = 0; c < geometry_.in_channels; ++c) {
      for (int64_t v = 0; v < across; ++v) {
        for (int64_t t = 0; t < along; ++t, ++w) {
          const int64_t unit =
              ((c / kernels_.lanes * along + t) * units_ + v / kernels_.unit) * kernels_.lanes + c % kernels_.lanes;
          store_weight(*w, unit * kernels_.unit + v % kernels_.unit, to);
          sums[c] += *w;
        }
      }
    }
  }
  void store_weight(int8_t value, int64_t i, std::byte* to) const {
    if (kernels_.unit == 4) {
      reinterpret_cast<int8_t*>(to)[i] = value;
    } else {
      reinterpret_cast<int16_t*>(to)[i] = value;
    }
  }

  const std::byte* pack_in_scratch(KernelContext& context) const {
    std::byte* packed = context.scratch() + w_offset_;
    pack(context.input(Q::kW).data<int8_t>(), packed);
    return packed;
  }

  const int32_t* begin_sums(KernelContext& context, const std::byte* packed, int32_t zero) const {
    auto* begin = reinterpret_cast<int32_t*>(context.scratch() + begin_offset_);
    const auto* sums = reinterpret_cast<const int32_t*>(packed + weights_bytes());
    const int32_t* bias = output_.sum_bias(context);
    for (int64_t c = 0; c < geometry_.in_channels; ++c) {
      begin[c] = int32_t((bias ? uint32_t(bias[c]) : 0) + uint32_t(kernels_.x_shift - zero) * uint32_t(sums[c]));
    }
    return begin;
  }

  /// Computes some pixels of a line of outputs.
  void run_chunk(const WindowRows<uint8_t>& columns, int64_t line, const Span& pixels, DepthwiseBytes job,
                 const QuantizedOutput::Bound& output, std::byte* scratch) const {
    const ConvAxis& width = geometry_.axes[2];
    job.pixels = pixels.size();
    job.stride = width.stride;
    job.dilation = width.dilation;
    job.taps = width.kernel;
    job.columns = columns_of(width, job.pixels);
    job.values = columns_.taps();
    job.units = units_;
    job.x = address_columns(columns, line * columns_of(width, width.out) + pixels.begin * width.stride, job.columns,
                            scratch);
    job.sums = reinterpret_cast<int32_t*>(scratch + sums_offset_);
    job.scratch = scratch + columns_offset_;
    const int32_t* begin = job.begin;
    for (job.channel = 0; job.channel < geometry_.in_channels; job.channel += kJobChannels) {
      job.channels = std::min(kJobChannels, geometry_.in_channels - job.channel);
      job.begin = begin + job.channel;
      kernels_.sums(job);
      const int64_t first = line * width.out + pixels.begin;
      output.store({first, first + job.pixels}, {job.channel, job.channel + job.channels}, job.sums);
    }
  }

  /// Writes the addresses of the values of columns. The values that fill up the last unit may be arbitrary.
  const uint8_t* const* address_columns(const WindowRows<uint8_t>& columns, int64_t first, int64_t count,
                                        std::byte* scratch) const {
    auto** pointers = reinterpret_cast<const uint8_t**>(scratch);
    const int64_t values = columns_.taps();
    columns.rows({.row = first, .rows = int(count), .taps = values, .depth = 1}, pointers, nullptr);
    for (int64_t v = values; v < units_ * kernels_.unit; ++v) std::copy_n(pointers, count, pointers + v * count);
    return pointers;
  }

  ConvGeometry geometry_;
  ConvWindows columns_;
  DepthwiseBytesKernels kernels_;
  int64_t units_, vectors_, lines_, parts_;
  QuantizedOutput output_;
  size_t columns_offset_, sums_offset_, begin_offset_, output_offset_, padding_offset_, w_offset_, scratch_bytes_;
  Tensor packed_;
};

}  // namespace

KernelPtr make_quantized_depthwise_conv(const ConvGeometry& geometry, const Activation& activation,
                                        const CompileInput& in) {
  return std::make_unique<QuantizedDepthwiseConv>(geometry, activation, in);
}

}  // namespace linnet

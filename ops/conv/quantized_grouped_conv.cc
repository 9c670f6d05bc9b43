#include <algorithm>

#include "conv/quantized_conv.h"
#include "conv/window_rows.h"
#include "gemm/byte_operands.h"
#include "gemm/panels.h"
#include "gemm/quantized_gemm.h"
#include "kernels/byte_rows.h"
#include "kernels/grouped.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

constexpr int64_t kStripRows = 24;    // rows of a strip, whose windows are addressed together
constexpr int64_t kMostColumns = 64;  // about; their sums and weights stay in the first-level cache
constexpr int64_t kWidened = 4096;    // values at a time

/// Scratch of each worker: addresses, sums. Scratch of the first worker also: the output's, the widened images.
class QuantizedGroupedConv final : public Kernel {
 public:
  QuantizedGroupedConv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in)
      : g_(geometry),
        windows_(geometry),
        kernels_(kernels_for<GroupedPairsKernels>(in.isa())),
        widen_(kernels_for<ByteRowKernels>(in.isa()).widen),
        output_(in, geometry.out_channels, activation),
        rows_(checked_mul(geometry.batch, geometry.out_pixels())),
        strips_(ceil_div(rows_, kStripRows)),
        block_values_(checked_mul(checked_mul(geometry.taps(), geometry.group_in()), kernels_.channels)),
        part_channels_(checked_mul(std::max<int64_t>(1, kMostColumns / kernels_.channels), kernels_.channels)) {
    const int64_t strip_multiplies =
        checked_mul(checked_mul(kStripRows, geometry.out_channels), checked_mul(geometry.taps(), geometry.group_in()));
    chunk_strips_ = std::max<int64_t>(1, kProductChunkMultiplies / std::max<int64_t>(1, strip_multiplies));
    sums_offset_ = aligned(dtype_bytes(DType::kInt64, checked_mul(kStripRows, geometry.taps())));
    output_offset_ = sums_offset_ + dtype_bytes(DType::kInt32, checked_mul(kStripRows, part_channels_));
    x_offset_ = output_offset_ + output_.scratch_bytes();
    scratch_bytes_ = x_offset_ + dtype_bytes(DType::kInt16, checked_add(x_values(), kernels_.channels));
    const Tensor& w = *in.constant(Q::kW);
    w_ = in.packed(w, {"quantized grouped", {kernels_.channels, geometry.group}}, [&] {
      const int64_t blocks = ceil_div(geometry.out_channels, kernels_.channels);
      Tensor packed = in.packed_memory(DType::kInt16, Shape{checked_mul(blocks, block_values_)});
      pack(w.data<int8_t>(), packed.data<int16_t>());
      return packed;
    });
  }

  void run(KernelContext& context) const override {
    const QuantizedOutput::Bound output = output_.bind(context, context.scratch() + output_offset_);
    auto* x = reinterpret_cast<int16_t*>(context.scratch() + x_offset_);
    widen(context.executor(), {context.input(Q::kX), context.input(Q::kXZero)}, x);
    const WindowRows<int16_t> windows(windows_, x);
    const int32_t* bias = output_.sum_bias(context);
    context.executor().parallel_for(ceil_div(strips_, chunk_strips_), [&](int64_t chunk, int worker) {
      const int64_t end = std::min(strips_, (chunk + 1) * chunk_strips_);
      for (int64_t strip = chunk * chunk_strips_; strip < end; ++strip) {
        run_strip(windows, Span{0, rows_}.part(strips_, strip), bias, output, context.scratch(worker));
      }
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != Q::kW; }
  std::string describe() const override { return str("int16 groups of ", g_.group_in(), " sharing vectors"); }

 private:
  int64_t x_values() const { return checked_mul(checked_mul(g_.batch, g_.in_pixels()), g_.in_channels); }

  /// Packs the weights in the order of GroupedPairs.
  void pack(const int8_t* w, int16_t* packed) const {
    const int64_t width = g_.group_in(), lanes = kernels_.channels / 2;
    Checkpoints checkpoints;
    for (int64_t block = 0; block < g_.out_channels; block += kernels_.channels) {
      checkpoints.add(block_values_);
      for (int64_t tap = 0; tap < g_.taps(); ++tap) {
        for (int64_t half = 0; half < 2; ++half) {
          for (int64_t r = 0; r < width / 2; ++r) {
            for (int64_t j = 0; j < lanes; ++j, packed += 2) {
              const int64_t out = block + 2 * (j ^ r) + half;
              for (int64_t i = 0; i < 2; ++i) {
                const bool exists = out < g_.out_channels;
                packed[i] = exists ? w[(out * width + (2 * j + i) % width) * g_.taps() + tap] : int16_t{0};
              }
            }
          }
        }
      }
    }
  }

  void widen(Executor& executor, const Bytes& x, int16_t* to) const {
    const int64_t values = x_values();
    executor.parallel_for(ceil_div(values, kWidened), [&](int64_t part, int) {
      const int64_t first = part * kWidened;
      widen_(x.values + first, std::min(kWidened, values - first), uint8_t(x.flip), int16_t(x.zero(0)), to + first);
    });
    std::fill_n(to + values, kernels_.channels, int16_t{0});  // read by the last block, for weights that are 0
  }

  void run_strip(const WindowRows<int16_t>& windows, const Span& pixels, const int32_t* bias,
                 const QuantizedOutput::Bound& output, std::byte* scratch) const {
    auto** addresses = reinterpret_cast<const int16_t**>(scratch);
    windows.rows({.row = pixels.begin, .rows = int(pixels.size()), .taps = g_.taps()}, addresses, nullptr);
    GroupedPairs job;
    job.width = g_.group_in();
    job.rows = pixels.size();
    job.taps = g_.taps();
    job.x = addresses;
    job.w = w_.data<int16_t>();
    job.bias = bias;
    job.sums = reinterpret_cast<int32_t*>(scratch + sums_offset_);
    for (; job.channel < g_.out_channels; job.channel = job.channel_end) {
      job.channel_end = std::min(g_.out_channels, job.channel + part_channels_);
      kernels_.sums(job);
      output.store(pixels, {job.channel, job.channel_end}, job.sums);
    }
  }

  ConvGeometry g_;
  ConvWindows windows_;
  GroupedPairsKernels kernels_;
  WidenFunction widen_;
  QuantizedOutput output_;
  int64_t rows_, strips_, block_values_, part_channels_;
  int64_t chunk_strips_ = 1;
  size_t sums_offset_ = 0, output_offset_ = 0, x_offset_ = 0, scratch_bytes_ = 0;
  Tensor w_;
};

}  // namespace

bool suits_quantized_grouped(const ConvGeometry& geometry, const CompileInput& in) {
  if (multiplies_bytes(in.isa()) || geometry.group == 1 || !in.constant(Q::kW)) return false;
  const GroupedPairsKernels& kernels = kernels_for<GroupedPairsKernels>(in.isa());
  return geometry.group_in() == geometry.group_out() && kernels.supports(geometry.group_in()) &&
         geometry.in_channels >= kernels.channels;
}

KernelPtr make_quantized_grouped_conv(const ConvGeometry& geometry, const Activation& activation,
                                      const CompileInput& in) {
  return std::make_unique<QuantizedGroupedConv>(geometry, activation, in);
}

}  // namespace linnet

#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/plane_weights.h"
#include "gemm/accuracy.h"
#include "kernels/kernels_for.h"
#include "kernels/plane_depthwise.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kGroupFloats = 6 << 10;  // floats of the lines that are computed from at a time: half of a cache
constexpr int64_t kMostPlanes = 16;        // the most planes whose lines are computed from at a time
constexpr int64_t kChunkMultiplies = 256 * 1024;  // the least work of a chunk, which first clears its lines
constexpr int64_t kMostChunks = 48;
constexpr int64_t kManyFilters = 16;             // enough of one plane for a product with copies of its windows
constexpr int64_t kMostWindowFloats = 64 << 10;  // the most floats of the lines of one row of windows

PlaneWindows windows_of(const ConvGeometry& g) {
  const ConvAxis &height = g.axes[1], &width = g.axes[2];
  PlaneWindows windows{width.in, width.out, width.pad_begin, width.kernel, width.stride, width.dilation};
  windows.kernel_height = height.kernel;
  windows.line_stride = height.stride;
  windows.line_dilation = height.dilation;
  const int64_t read = checked_add(checked_add(width.extent() / width.stride, width.out), PlaneWindows::kTouched);
  const int64_t written = checked_add(width.pad_begin, width.in) / width.stride + 1 + PlaneWindows::kTouched;
  windows.pitch = checked_mul(ceil_div(std::max(read, written), kLineFloats), kLineFloats);
  windows.line_floats = checked_mul(windows.stride, windows.pitch);
  return windows;
}

/// A convolution whose groups have one input channel, on channels-first data. The lines of some planes are copied with
/// their padding, and rows of outputs are computed from them.
class PlaneDepthwise final : public ConvAlgorithm<float> {
 public:
  PlaneDepthwise(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        epilogue_(epilogue),
        kernels_(kernels_for<PlaneDepthwiseKernels>(in.isa())),
        windows_(windows_of(geometry)),
        planes_(checked_mul(g_.batch, g_.in_channels)),
        packed_(packed_plane_weights(g_, in)) {
    const ConvAxis& height = g_.axes[1];
    const int64_t most = (kGroupFloats / windows_.line_floats - height.extent()) / height.stride + 1;
    strips_ = ceil_div(height.out, std::clamp<int64_t>(most, 1, height.out));
    strip_rows_ = ceil_div(height.out, strips_);
    lines_ = checked_add(checked_mul(strip_rows_ - 1, height.stride), height.extent());
    plane_floats_ = checked_mul(lines_, windows_.line_floats);
    group_planes_ = std::clamp<int64_t>(kGroupFloats / plane_floats_, 1, kMostPlanes);
    memory_floats_ = checked_add(checked_mul(group_planes_, plane_floats_), windows_.line_floats);
    units_ = checked_mul(ceil_div(planes_, group_planes_), strips_);
    const int64_t outputs =
        checked_mul(checked_mul(group_planes_, multiplier()), checked_mul(strip_rows_, windows_.out));
    const int64_t multiplies = checked_mul(outputs, g_.taps());
    chunk_units_ = std::max({int64_t{1}, units_ / kMostChunks, kChunkMultiplies / std::max<int64_t>(1, multiplies)});
  }

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : operands.w;
    context.executor().parallel_for(ceil_div(units_, chunk_units_), [&](int64_t chunk, int worker) {
      std::byte* scratch = context.scratch(worker);
      auto* memory = reinterpret_cast<float*>(scratch + pointer_bytes());
      std::fill_n(memory, memory_floats_, 0.f);
      const int64_t end = std::min(units_, (chunk + 1) * chunk_units_);
      for (int64_t unit = chunk * chunk_units_; unit < end; ++unit) {
        run_unit(operands, w, unit, reinterpret_cast<const float**>(scratch), memory);
      }
    });
  }

  /// Scratch: addresses of lines, the lines of a group of planes, a line of zeros.
  size_t scratch_bytes() const override { return pointer_bytes() + dtype_bytes(DType::kFloat32, memory_floats_); }
  bool takes_channels_first() const override { return true; }
  bool gives_channels_first() const override { return true; }
  std::string describe() const override { return str("depthwise planes, ", strip_rows_, " rows of ", group_planes_); }

 private:
  int64_t multiplier() const { return g_.group_out(); }
  size_t pointer_bytes() const { return aligned(dtype_bytes(DType::kInt64, lines_)); }

  void run_unit(const ConvOperands<float>& operands, const float* w, int64_t unit, const float** lines,
                float* memory) const {
    const ConvAxis& height = g_.axes[1];
    const int64_t row = unit % strips_ * strip_rows_, plane = unit / strips_ * group_planes_;
    const int64_t rows = std::min(strip_rows_, height.out - row), planes = std::min(group_planes_, planes_ - plane);
    if (rows <= 0) return;
    const int64_t top = row * height.stride - height.pad_begin,
                  bottom = top + (rows - 1) * height.stride + height.extent();
    const Span inside{std::clamp<int64_t>(top, 0, height.in), std::clamp<int64_t>(bottom, 0, height.in)};
    for (int64_t i = 0; i < planes; ++i) {
      const float* x = operands.x + ((plane + i) * height.in + inside.begin) * windows_.in;
      kernels_.split(windows_, x, inside.size(), memory + i * plane_floats_);
    }
    for (int64_t i = 0; i < planes; ++i) {
      for (int64_t line = top; line < bottom; ++line) {
        const bool outside = line < inside.begin || line >= inside.end;
        lines[line - top] = outside ? memory + group_planes_ * plane_floats_
                                    : memory + i * plane_floats_ + (line - inside.begin) * windows_.line_floats;
      }
      run_plane(operands, w, plane + i, {row, row + rows}, lines);
    }
  }

  /// Computes rows of all filters of a plane.
  void run_plane(const ConvOperands<float>& operands, const float* w, int64_t plane, const Span& rows,
                 const float* const* lines) const {
    const int64_t channel = plane % g_.in_channels * multiplier();
    PlaneFilter filter{lines, rows.size()};
    filter.low = epilogue_.low;
    filter.high = epilogue_.high;
    for (int64_t i = 0; i < multiplier(); ++i) {
      filter.w = w + (channel + i) * g_.taps();
      filter.bias = operands.bias ? operands.bias[channel + i] : 0;
      filter.y = operands.y + (plane * multiplier() + i) * g_.out_pixels() + rows.begin * windows_.out;
      kernels_.rows(windows_, filter);
      if (epilogue_.activation)
        epilogue_.activation(filter.y, filter.y, rows.size() * windows_.out, epilogue_.alpha, epilogue_.beta);
    }
  }

  ConvGeometry g_;
  Epilogue epilogue_;
  PlaneDepthwiseKernels kernels_;
  PlaneWindows windows_;
  int64_t planes_, strips_ = 1, strip_rows_ = 1, lines_ = 1, group_planes_ = 1, units_ = 0, chunk_units_ = 1;
  int64_t plane_floats_ = 0, memory_floats_ = 0;
  Tensor packed_;
};

/// Whether the filters of one plane share what they read in a product, and output rows do not share as much here.
bool is_faster_as_product(const ConvGeometry& g, const CompileInput& in) {
  const bool rows_share =
      windows_of(g).sharing_square() > 0 && g.axes[1].out >= kernels_for<PlaneDepthwiseKernels>(in.isa()).tile_rows;
  return g.group == 1 && g.out_channels >= kManyFilters && !rows_share && suits_plane_conv(g, in);
}

}  // namespace

bool suits_plane_depthwise(const ConvGeometry& g, const CompileInput& in) {
  const auto& [depth, height, width] = g.axes;
  const bool planar = depth.kernel == 1 && depth.in == 1 && depth.out == 1;
  if (!planar || g.group_in() != 1 || g.taps() == 1 || g.taps() > kLongestSum || in.has(3) || in.has(4)) return false;
  if (width.out < kLeastPlaneWidth || height.out == 0 || width.stride > kMostWindowFloats) return false;
  return height.extent() <= kMostWindowFloats / windows_of(g).line_floats && !is_faster_as_product(g, in);
}

ConvF32Ptr make_plane_depthwise(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<PlaneDepthwise>(geometry, epilogue, in);
}

}  // namespace linnet

#include "pool/plane_pool.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "elements/dispatch.h"
#include "kernels/kernel_table.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

constexpr int64_t kElementsPerNanosecond = 4;

template <class T>
const PlaneMaxKernels<T>& max_kernels(const PlanePoolKernels& k) {
  if constexpr (std::is_same_v<T, float>)
    return k.max_f32;
  else if constexpr (std::is_same_v<T, double>)
    return k.max_f64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return k.max_u8;
  else
    return k.max_s8;
}

/// Rows of output pixels, some at a time: the lines that the windows of a row meet become one, then its columns.
template <class T>
class PlanePool final : public Kernel {
 public:
  PlanePool(PoolKind kind, PoolShape shape, const PlanePoolKernels& kernels)
      : kind_(kind), shape_(std::move(shape)), kernels_(kernels) {
    const PoolAxis& axis = shape_.axes[2];
    const int64_t first = checked_mul(std::max<int64_t>(axis.out, 1) - 1, axis.stride);
    const int64_t reach = checked_add(checked_add(first, checked_mul(axis.kernel - 1, axis.dilation)), 1);
    columns_ = {axis.in,
                axis.out,
                axis.pad_begin,
                axis.kernel,
                axis.stride,
                axis.dilation,
                std::max(reach, checked_add(axis.pad_begin, axis.in))};
    most_lines_ = std::max<int64_t>(1, checked_mul(lines_of(0), lines_of(1)));
    group_ = std::clamp<int64_t>(std::min(kMostTaps / most_lines_, kMostElements / columns_.padded), 1, kMostRows);
    if (kind_ == PoolKind::kMax) return;
    elements_.assign(size_t(checked_add(axis.out, PlaneColumns::kMostLanes)), 1.0f);
    std::ranges::transform(shape_.windows[2], elements_.begin(),
                           [&](const PoolWindow& w) { return float(std::max<int64_t>(1, count(w))); });
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const int64_t height = shape_.axes[1].out, depth = shape_.axes[0].out;
    const int64_t rows = shape_.batch * shape_.channels * depth * height, work = columns_.out * shape_.taps();
    parallel_items(context.executor(), rows, work, [&](int64_t row, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; row < end; row += group_) {
        pool(x, y, row, std::min(group_, end - row), context.scratch(worker));
        checkpoints.add(group_ * work / kElementsPerNanosecond);
      }
    });
  }

  size_t scratch_bytes() const override {
    const int64_t pointers = checked_mul(checked_mul(group_, most_lines_), int64_t{sizeof(const T*)});
    const int64_t elements = checked_add(checked_mul(group_, columns_.padded), PlaneColumns::kTouched);
    return size_t(checked_add(pointers, checked_mul(elements, int64_t{sizeof(T)})));
  }

  std::string describe() const override { return "channels-first"; }

 private:
  static constexpr int64_t kMostRows = 16, kMostTaps = 1024, kMostElements = 2048;

  /// What of a window counts for a mean.
  int64_t count(const PoolWindow& w) const { return kind_ == PoolKind::kMeanWithPadding ? w.counted : w.end - w.begin; }

  /// The most lines of an axis that a window meets.
  int64_t lines_of(int axis) const { return std::min(shape_.axes[axis].kernel, shape_.axes[axis].in); }

  void pool(const T* x, T* y, int64_t first, int64_t rows, std::byte* scratch) const {
    auto** taps = reinterpret_cast<const T**>(scratch);
    auto* lines = reinterpret_cast<T*>(scratch + size_t(group_ * most_lines_) * sizeof(*taps));
    int64_t counts[kMostRows];
    float factors[kMostRows];
    const PoolAxis &y_axis = shape_.axes[1], &z_axis = shape_.axes[0];
    int64_t h = first % y_axis.out, d = first / y_axis.out % z_axis.out;
    const T* plane = x + first / y_axis.out / z_axis.out * shape_.in_pixels();
    const T** end = taps;
    for (int64_t r = 0; r < rows; ++r) {
      const T** begin = end;
      end = add_lines(plane, shape_.windows[0][size_t(d)], shape_.windows[1][size_t(h)], begin, factors[r]);
      counts[r] = end - begin;
      if (++h < y_axis.out) continue;
      h = 0;
      if (++d < z_axis.out) continue;
      d = 0;
      plane += shape_.in_pixels();
    }
    y += first * columns_.out;
    if constexpr (std::is_same_v<T, float>) {
      if (kind_ != PoolKind::kMax)
        return kernels_.mean_f32(columns_, taps, counts, factors, elements_.data(), rows, y, lines);
    }
    max_kernels<T>(kernels_).rows(columns_, taps, counts, rows, y, lines);
  }

  /// Adds the lines that the windows of a row meet; `factor` is how many of them count for a mean.
  const T** add_lines(const T* x, const PoolWindow& depth, const PoolWindow& height, const T** taps,
                      float& factor) const {
    const PoolAxis &y_axis = shape_.axes[1], &z_axis = shape_.axes[0];
    const int64_t lines = height.end - height.begin, step = y_axis.dilation * columns_.in;
    for (int64_t d = depth.begin; d < depth.end; ++d) {
      const int64_t z = depth.origin + d * z_axis.dilation;
      const T* line = x + (z * y_axis.in + height.origin) * columns_.in + height.begin * step;
      for (int64_t h = 0; h < lines; ++h, line += step) *taps++ = line;
    }
    if (kind_ != PoolKind::kMax) factor = float(std::max<int64_t>(1, count(depth) * count(height)));
    return taps;
  }

  PoolKind kind_;
  PoolShape shape_;
  PlanePoolKernels kernels_;
  PlaneColumns columns_;
  int64_t most_lines_, group_;
  std::vector<float> elements_;  ///< that count for the mean of a column
};

}  // namespace

bool takes_planes(PoolKind kind, const PoolShape& shape, DType dtype) {
  const PoolAxis& axis = shape.axes[2];
  const bool mostly_data = axis.kernel <= std::max<int64_t>(16, 2 * axis.in) &&
                           (axis.kernel - 1) * axis.dilation <= std::max<int64_t>(1024, 2 * axis.in);
  // A call of a kernel cannot be ended.
  const int64_t most_work = int64_t{1} << 26,
                lines = shape.taps() / std::max<int64_t>(1, std::min(axis.kernel, axis.in));
  const bool is_short = axis.out <= most_work / axis.kernel && axis.in <= most_work / std::max<int64_t>(1, lines);
  const bool byte = dtype == DType::kUint8 || dtype == DType::kInt8;
  const bool typed = dtype == DType::kFloat32 || (kind == PoolKind::kMax && (byte || dtype == DType::kFloat64));
  return typed && mostly_data && is_short && !shape.channels_last;
}

KernelPtr make_plane_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa) {
  const PlanePoolKernels& kernels = kernel_table(isa).plane_pool;
  const auto make = [&]<class T>() -> KernelPtr {
    return std::make_unique<PlanePool<T>>(kind, std::move(shape), kernels);
  };
  if (dtype == DType::kFloat32) return make.operator()<float>();
  if (dtype == DType::kFloat64 && kind == PoolKind::kMax) return make.operator()<double>();
  if (dtype == DType::kUint8 && kind == PoolKind::kMax) return make.operator()<uint8_t>();
  if (dtype == DType::kInt8 && kind == PoolKind::kMax) return make.operator()<int8_t>();
  throw_dtype(dtype);
}

}  // namespace linnet

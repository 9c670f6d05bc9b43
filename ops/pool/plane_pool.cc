#include "pool/plane_pool.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "elements/dispatch.h"
#include "kernels/kernels_for.h"
#include "kernels/plane_pool.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

constexpr int64_t kPlaneElementsPerNanosecond = 4;

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

/// The largest number of lines in the windows of all rows of a plane.
constexpr int64_t kMostTaps = int64_t{1} << 18;

/// Returns how many positions of a window count for a mean.
int64_t counted(PoolKind kind, const PoolWindow& w) {
  return kind == PoolKind::kMeanWithPadding ? w.counted : w.end - w.begin;
}

/// The rows of output of a plane.
struct RowTable {
  RowTable(PoolKind kind, const PoolShape& shape) {
    for (const PoolWindow& depth : shape.windows[0]) {
      for (const PoolWindow& height : shape.windows[1]) {
        first.push_back(std::ssize(taps));
        add_taps(shape, depth, height);
        counts.push_back(std::ssize(taps) - first.back());
        if (kind != PoolKind::kMax) add_shares(kind, shape, checked_mul(counted(kind, depth), counted(kind, height)));
      }
    }
    shares.resize(shares.size() + size_t(PlaneColumns::kMostLanes));
  }

  CountedVector<int64_t> taps;           ///< start of the lines that windows contain
  CountedVector<int64_t> first, counts;  ///< for each row
  CountedVector<float> shares;           ///< of an element in the mean of a column, for each number of lines
  CountedVector<int64_t> first_share;    ///< for each row

 private:
  void add_shares(PoolKind kind, const PoolShape& shape, int64_t lines) {
    const auto [at, is_new] = shares_of_.try_emplace(lines, std::ssize(shares));
    first_share.push_back(at->second);
    if (!is_new) return;
    for (const PoolWindow& w : shape.windows[2]) {
      shares.push_back(float(1 / double(std::max<int64_t>(1, checked_mul(lines, counted(kind, w))))));
    }
  }

  void add_taps(const PoolShape& shape, const PoolWindow& depth, const PoolWindow& height) {
    const PoolAxis &z_axis = shape.axes[0], &y_axis = shape.axes[1];
    for (int64_t d = depth.begin; d < depth.end; ++d) {
      const int64_t z = depth.origin + d * z_axis.dilation;
      for (int64_t h = height.begin; h < height.end; ++h)
        taps.push_back((z * y_axis.in + height.origin + h * y_axis.dilation) * shape.axes[2].in);
    }
  }

  std::map<int64_t, int64_t> shares_of_;  ///< by number of lines
};

/// Computes rows of output pixels, some at a time: the lines in the windows of a row are joined to one, then its
/// columns.
template <class T>
class PlanePool final : public Kernel {
 public:
  PlanePool(PoolKind kind, PoolShape shape, const PlanePoolKernels& kernels)
      : kind_(kind), shape_(std::move(shape)), kernels_(kernels), table_(kind, shape_) {
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
    group_ = std::clamp<int64_t>(kMostElements / columns_.padded, 1, kMostRows);
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const int64_t rows = shape_.batch * shape_.channels * height(), work = columns_.out * shape_.taps();
    parallel_items(context.executor(), rows, work, [&](int64_t row, int64_t end, int worker) {
      auto* lines = reinterpret_cast<T*>(context.scratch(worker));
      pad(std::min(group_, end - row), lines);
      Checkpoints checkpoints;
      while (row < end) {
        const int64_t computed = pool(x, y, row, end, lines);
        row += computed;
        checkpoints.add(computed * work / kPlaneElementsPerNanosecond);
      }
    });
  }

  size_t scratch_bytes() const override {
    const int64_t elements = checked_add(checked_mul(group_, columns_.padded), PlaneColumns::kTouched);
    return size_t(checked_mul(elements, int64_t{sizeof(T)}));
  }

  std::string describe() const override { return "channels-first"; }

 private:
  static constexpr int64_t kMostRows = 16, kMostElements = 2048;

  /// The number of rows of output of a plane.
  int64_t height() const { return std::ssize(table_.counts); }

  void pad(int64_t count, T* lines) const {
    if constexpr (std::is_same_v<T, float>) {
      if (kind_ != PoolKind::kMax) return kernels_.pad_mean_f32(columns_, count, lines);
    }
    max_kernels<T>(kernels_).pad(columns_, count, lines);
  }

  /// Computes rows from `row` on, of one plane or of whole planes. Returns their number.
  int64_t pool(const T* x, T* y, int64_t row, int64_t end, T* lines) const {
    const int64_t first = row % height(), left = std::min(group_, end - row);
    const int64_t rows = std::min(left, height() - first), planes = std::max<int64_t>(1, left / height());
    const PlaneRows<T> of_planes{.x = x + row / height() * shape_.in_pixels(),
                                 .taps = table_.taps.data() + table_.first[size_t(first)],
                                 .counts = table_.counts.data() + first,
                                 .rows = rows,
                                 .planes = first == 0 ? planes : 1,
                                 .plane_pitch = shape_.in_pixels(),
                                 .lines = lines};
    y += checked_mul(row, columns_.out);
    compute(of_planes, first, y);
    return checked_mul(of_planes.planes, rows);
  }

  void compute(const PlaneRows<T>& rows, int64_t first, T* y) const {
    if constexpr (std::is_same_v<T, float>) {
      if (kind_ != PoolKind::kMax)
        return kernels_.mean_f32(columns_, rows, table_.shares.data(), table_.first_share.data() + first, y);
    }
    max_kernels<T>(kernels_).rows(columns_, rows, y);
  }

  PoolKind kind_;
  PoolShape shape_;
  PlanePoolKernels kernels_;
  RowTable table_;
  PlaneColumns columns_;
  int64_t group_;  ///< rows that are computed together
};

}  // namespace

bool takes_planes(PoolKind kind, const PoolShape& shape, DType dtype) {
  const PoolAxis& axis = shape.axes[2];
  const bool mostly_data = axis.kernel <= std::max<int64_t>(16, 2 * axis.in) &&
                           (axis.kernel - 1) * axis.dilation <= std::max<int64_t>(1024, 2 * axis.in);
  // A call of a kernel cannot be interrupted.
  const int64_t most_work = int64_t{1} << 26,
                lines = shape.taps() / std::max<int64_t>(1, std::min(axis.kernel, axis.in));
  const int64_t rows = checked_mul(std::ssize(shape.windows[0]), std::ssize(shape.windows[1]));
  const bool few_taps = rows <= kMostTaps / std::max<int64_t>(1, lines);
  const bool is_short = axis.out <= most_work / axis.kernel && axis.in <= most_work / std::max<int64_t>(1, lines);
  const bool byte = dtype == DType::kUint8 || dtype == DType::kInt8;
  const bool typed = dtype == DType::kFloat32 || (kind == PoolKind::kMax && (byte || dtype == DType::kFloat64));
  return typed && mostly_data && few_taps && is_short && !shape.channels_last;
}

KernelPtr make_plane_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa) {
  const PlanePoolKernels& kernels = kernels_for<PlanePoolKernels>(isa);
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

#include "resize/resize_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "elements/dispatch.h"
#include "elements/saturate.h"
#include "kernels/kernels_for.h"
#include "kernels/pool.h"
#include "movement/view.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "resize/resize_lines.h"
#include "resize/resize_nearest.h"
#include "resize/resize_sources.h"

namespace linnet {
namespace {

/// The scratch memory of a worker: addresses of rows, the sources of a line, the offsets of the input lines whose
/// resized form is cached, and room for lines.
template <class Sum, class Real>
struct Scratch {
  Scratch(std::byte* memory, int64_t max_sources, int64_t max_rows) {
    rows = reinterpret_cast<const Sum**>(memory);
    offset = reinterpret_cast<int64_t*>(rows + max_rows);
    kept = offset + max_sources;
    weight = reinterpret_cast<Real*>(kept + max_sources);
    lines = reinterpret_cast<Sum*>(kept + 2 * max_sources);
  }

  static size_t bytes(int64_t max_sources, int64_t max_rows, int64_t elements) {
    return size_t(checked_add(checked_mul(checked_add(max_rows, checked_mul(3, max_sources)), sizeof(int64_t)),
                              checked_mul(elements, sizeof(Sum))));
  }

  const Sum** rows;
  int64_t *offset, *kept;
  Real* weight;
  Sum* lines;
};
static_assert(sizeof(void*) <= sizeof(int64_t));

/// The indices and weights of an axis of two taps, as PoolKernels::pairs_f32 reads them.
struct ResizePairs {
  explicit ResizePairs(const ResizeAxis& axis) {
    const int64_t room = checked_mul(ceil_div(axis.out, PoolKernels::kPairBlock), PoolKernels::kPairBlock);
    for (size_t tap = 0; tap < 2; ++tap) {
      index[tap].resize(size_t(room));
      weight[tap].resize(size_t(room));
      for (int64_t out = 0; out < axis.out; ++out) {
        index[tap][size_t(out)] = int32_t(axis.index[size_t(2 * out) + tap]);
        weight[tap][size_t(out)] = axis.weight_f32[size_t(2 * out) + tap];
      }
    }
  }

  void blend(const PoolKernels& kernels, const float* line, int64_t n, float* y) const {
    const int32_t* const indices[] = {index[0].data(), index[1].data()};
    const float* const weights[] = {weight[0].data(), weight[1].data()};
    kernels.pairs_f32(line, indices, weights, n, y);
  }

  CountedVector<int32_t> index[2];
  CountedVector<float> weight[2];
};

/// Linear and cubic interpolation. Sums are float for float32, and double or complex double for other dtypes.
template <class T>
class Interpolate final : public Kernel {
 public:
  using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
  using Sum = std::conditional_t<kIsComplex<T>, std::complex<double>, Real>;
  using Sources = ResizeLines::Sources<Real>;

  Interpolate(ResizeLines lines, float extrapolation_value, const PoolKernels& kernels)
      : lines_(std::move(lines)),
        extrapolation_value_(saturate<T>(extrapolation_value)),
        kernels_(kernels),
        sources_(lines_),
        along_first_(std::is_same_v<T, float> && lines_.enlarges() && !lines_.axis().any_outside()),
        all_first_(along_first_ && sources_.listed() &&
                   lines_.in_lines() <= kMostFirst / std::max<int64_t>(1, lines_.out_elements())),
        pairs_(lines_.inner() == 1 && lines_.axis().taps == 2 && !lines_.axis().any_outside()) {
    if (all_first_) sources_.scale_offsets(lines_, lines_.out_elements());
    const bool narrow = lines_.axis().in <= std::numeric_limits<int32_t>::max();
    const bool long_rows = lines_.axis().out >= PoolKernels::kPairBlock;
    if (std::is_same_v<T, float> && pairs_ && narrow && long_rows) float_pairs_.emplace(lines_.axis());
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    // Combining lines is cheap, but each chunk has to resize its first lines itself.
    const int64_t cost =
        along_first_ ? lines_.out_elements() / 8 : lines_.out_elements() * lines_.axis().taps + lines_.in_elements();
    const int64_t lines = lines_.lines(), in_plane = lines_.in_lines() * lines_.in_elements();
    parallel_items(context.executor(), lines_.planes() * lines, cost, [&](int64_t item, int64_t end, int worker) {
      Scratch<Sum, Real> scratch(context.scratch(worker), lines_.max_sources(), max_rows());
      Checkpoints checkpoints;
      while (item < end) {
        const int64_t plane = item / lines, plane_end = std::min(end, (plane + 1) * lines);
        begin_plane(x + plane * in_plane, scratch, checkpoints);
        for (; item < plane_end; ++item) {
          compute_line(x + plane * in_plane, item - plane * lines, scratch, y + item * lines_.out_elements(),
                       checkpoints);
        }
      }
    });
  }

  size_t scratch_bytes() const override {
    const int64_t kept = all_first_ ? lines_.in_lines() : lines_.max_sources();
    const int64_t elements = along_first_ ? checked_mul(kept, lines_.out_elements()) : lines_.in_elements();
    return Scratch<Sum, Real>::bytes(lines_.max_sources(), max_rows(), elements);
  }

 private:
  // The most elements of a plane's resized input lines for resizing all of them first.
  static constexpr int64_t kMostFirst = int64_t{1} << 14;

  int64_t max_rows() const { return lines_.max_sources() + lines_.axis().taps; }

  void begin_plane(const T* x, Scratch<Sum, Real>& scratch, Checkpoints& checkpoints) const {
    std::fill_n(scratch.kept, lines_.max_sources(), int64_t{-1});
    if constexpr (std::is_same_v<T, float>) {
      for (int64_t line = 0; all_first_ && line < lines_.in_lines(); ++line) {
        resize_line(x + line * lines_.in_elements(), scratch.rows, scratch.lines + line * lines_.out_elements(),
                    checkpoints);
      }
    }
  }

  void compute_line(const T* x, int64_t index, Scratch<Sum, Real>& scratch, T* y, Checkpoints& checkpoints) const {
    const Sources s = sources_.of(lines_, index, scratch.offset, scratch.weight);
    if (s.outside) return void(std::fill_n(y, lines_.out_elements(), extrapolation_value_));
    if constexpr (std::is_same_v<T, float>) {
      if (along_first_) return combine_resized(x, s, scratch, y, checkpoints);
    }
    resize_line(combine(x, s, scratch, checkpoints), scratch.rows, y, checkpoints);
  }

  void combine_resized(const float* x, const Sources& s, Scratch<float, float>& scratch, float* y,
                       Checkpoints& checkpoints) const {
    for (int64_t k = 0; k < s.count; ++k) {
      scratch.rows[k] = all_first_ ? scratch.lines + s.offset[k] : resized(x, s, s.offset[k], scratch, checkpoints);
    }
    kernels_.weighted_f32(scratch.rows, s.weight, s.count, lines_.out_elements(), y);
  }

  /// Returns the input line at an offset, resized. It is cached from an earlier line, or replaces a cached one that
  /// this line does not need.
  const float* resized(const float* x, const Sources& s, int64_t offset, Scratch<float, float>& scratch,
                       Checkpoints& checkpoints) const {
    int64_t* const end = scratch.kept + lines_.max_sources();
    int64_t* slot = std::find(scratch.kept, end, offset);
    const bool found = slot != end;
    const auto idle = [&](int64_t at) { return std::find(s.offset, s.offset + s.count, at) == s.offset + s.count; };
    if (!found) slot = std::find_if(scratch.kept, end, idle);
    float* line = scratch.lines + (slot - scratch.kept) * lines_.out_elements();
    if (!found) resize_line(x + offset, scratch.rows + lines_.max_sources(), line, checkpoints);
    *slot = offset;
    return line;
  }

  /// rows: room for the addresses of pixels.
  void resize_line(const Sum* line, const Sum** rows, T* y, Checkpoints& checkpoints) const {
    const ResizeAxis& axis = lines_.axis();
    if (pairs_) {
      checkpoints.add(2 * axis.out);
      return blend_pairs(line, y);
    }
    for (int64_t out = 0; out < axis.out; ++out) {
      checkpoints.add(axis.taps * lines_.inner());
      T* pixel = y + out * lines_.inner();
      if (axis.outside[size_t(out)]) {
        std::fill_n(pixel, lines_.inner(), extrapolation_value_);
      } else if (lines_.inner() == 1) {
        *pixel = blend_one(line, out);
      } else {
        blend_pixel(line, out, rows, pixel);
      }
    }
  }

  /// Returns the weighted sum of the input lines, or the line itself if there is only one.
  const Sum* combine(const T* x, const Sources& s, Scratch<Sum, Real>& scratch, Checkpoints& checkpoints) const {
    const int64_t n = lines_.in_elements();
    checkpoints.add(s.count * n);
    if constexpr (std::is_same_v<T, Sum>) {
      if (s.count == 1 && s.weight[0] == 1) return x + s.offset[0];
    }
    if constexpr (std::is_same_v<T, float>) {
      for (int64_t k = 0; k < s.count; ++k) scratch.rows[k] = x + s.offset[k];
      if (s.count > 0) return kernels_.weighted_f32(scratch.rows, s.weight, s.count, n, scratch.lines), scratch.lines;
    }
    std::fill_n(scratch.lines, n, Sum(0));
    for (int64_t k = 0; k < s.count; ++k) {
      for (int64_t i = 0; i < n; ++i) scratch.lines[i] += Sum(s.weight[k]) * Sum(x[s.offset[k] + i]);
    }
    return scratch.lines;
  }

  /// Computes all pixels of a line whose pixels have one element and two taps.
  void blend_pairs(const Sum* line, T* y) const {
    const ResizeAxis& axis = lines_.axis();
    const int64_t* index = axis.index.data();
    const Real* weight = axis.template weights<Real>();
    if constexpr (std::is_same_v<T, float>) {
      if (float_pairs_) return float_pairs_->blend(kernels_, line, axis.out, y);
    }
    for (int64_t out = 0; out < axis.out; ++out, index += 2, weight += 2) {
      y[out] = saturate<T>(Sum(weight[0]) * line[index[0]] + Sum(weight[1]) * line[index[1]]);
    }
  }

  T blend_one(const Sum* line, int64_t out) const {
    const int64_t taps = lines_.axis().taps;
    const int64_t* index = lines_.axis().index.data() + out * taps;
    const Real* weight = lines_.axis().template weights<Real>() + out * taps;
    Sum sum = 0;
    for (int64_t t = 0; t < taps; ++t) sum += Sum(weight[t]) * line[index[t]];
    return saturate<T>(sum);
  }

  void blend_pixel(const Sum* line, int64_t out, const Sum** rows, T* y) const {
    const int64_t taps = lines_.axis().taps, inner = lines_.inner();
    const int64_t* index = lines_.axis().index.data() + out * taps;
    const Real* weight = lines_.axis().template weights<Real>() + out * taps;
    if constexpr (std::is_same_v<T, float>) {
      for (int64_t t = 0; t < taps; ++t) rows[t] = line + index[t] * inner;
      return kernels_.weighted_f32(rows, weight, taps, inner, y);
    }
    for (int64_t i = 0; i < inner; ++i) {
      Sum sum = 0;
      for (int64_t t = 0; t < taps; ++t) sum += Sum(weight[t]) * line[index[t] * inner + i];
      y[i] = saturate<T>(sum);
    }
  }

  ResizeLines lines_;
  T extrapolation_value_;
  PoolKernels kernels_;
  ResizeSources<Real> sources_;
  // If there are more output than input lines, input lines are resized first and cached for the next output lines. If a
  // plane has few elements, all its lines are resized at once.
  bool along_first_, all_first_;
  bool pairs_;  // Whether pixels have one element and two taps, and no pixel is outside.
  std::optional<ResizePairs> float_pairs_;
};

Tensor element_of(DType dtype, float value) {
  if (value == 0 || dtype == DType::kString) return zero_element(dtype);
  if (dtype == DType::kBool) return Tensor::scalar(true);
  if (dtype == DType::kComplex64) return Tensor::scalar(saturate<std::complex<float>>(value));
  if (dtype == DType::kComplex128) return Tensor::scalar(saturate<std::complex<double>>(value));
  return dispatch_number(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      return Tensor::scalar(saturate<T>(value));
    else
      return Tensor::scalar(T(value));
  });
}

}  // namespace

KernelPtr make_resize(const ResizeMode& mode, std::vector<ResizeAxis> axes, DType dtype, Isa isa) {
  if (std::all_of(axes.begin(), axes.end(), [](const ResizeAxis& axis) { return axis.identity(); })) return make_view();
  ResizeLines lines(std::move(axes));
  if (mode.filter == ResizeMode::Filter::kNearest) {
    return make_nearest_resize(std::move(lines), dtype, element_of(dtype, mode.extrapolation_value));
  }
  const auto make = [&]<class T>() -> KernelPtr {
    return std::make_unique<Interpolate<T>>(std::move(lines), mode.extrapolation_value, kernels_for<PoolKernels>(isa));
  };
  if (dtype == DType::kFloat32) return make.operator()<float>();
  if (dtype == DType::kFloat64) return make.operator()<double>();
  if (dtype == DType::kComplex64) return make.operator()<std::complex<float>>();
  if (dtype == DType::kComplex128) return make.operator()<std::complex<double>>();
  return dispatch_integer(dtype, make);
}

}  // namespace linnet

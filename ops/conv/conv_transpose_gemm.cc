#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/conv_transpose_phases.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// Computes a matrix product per phase. Packed weights: for each phase and group, the panels of the phase's taps.
template <class T>
class TransposeGemm final : public ConvAlgorithm<T> {
  using Type = GemmReal<T>;

 public:
  TransposeGemm(const ConvGeometry& geometry, const CompileInput& in)
      : g_(geometry),
        kernels_(kernels_for<GemmKernels<Type>>(in.isa())),
        panels_(choose_panels(kernels_, geometry.group_out(), geometry.group_in())),
        phases_(transpose_phases(geometry)),
        zeros_(size_t(geometry.in_channels)) {
    size_t most_taps = 0;
    int64_t most_columns = 1;
    for (size_t i = 0; i < phases_.size(); ++i) {
      packed_begin_.push_back(packed_size_);
      packed_size_ = checked_add(packed_size_, checked_mul(g_.group, group_size(phases_[i])));
      most_taps = std::max(most_taps, phases_[i].taps.size());
      most_columns = std::max(most_columns, phases_[i].axes[2].count);
      add_chunks(int64_t(i));
    }
    strip_rows_ = choose_strip_rows(kernels_, panels_, most_columns, int64_t(most_taps) * g_.group_in());
    pointer_bytes_ = aligned(most_taps * size_t(strip_rows_) * sizeof(T*));
    if (const Tensor* w = in.constant(1)) {
      packed_ = in.packed(*w, form(), [&] {
        Tensor packed = in.packed_memory(dtype_of<T>, Shape{packed_size_});
        pack(w->data<T>(), packed.data<T>());
        return packed;
      });
    }
  }

  void run(const ConvOperands<T>& operands, KernelContext& context) const override {
    const T* w = packed_ ? packed_.data<T>() : pack_in_scratch(operands.w, context);
    context.executor().parallel_for(int64_t(chunks_.size()), [&](int64_t i, int worker) {
      const Chunk& chunk = chunks_[size_t(i)];
      Checkpoints checkpoints;
      for (int64_t line = chunk.first_line; line < chunk.last_line; ++line) {
        run_line(operands, w, chunk.phase, line, reinterpret_cast<const T**>(context.scratch(worker)), checkpoints);
      }
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes_ + (packed_ ? 0 : dtype_bytes(dtype_of<T>, packed_size_));
  }

  std::string describe() const override { return str("GEMM of ", phases_.size(), " phases"); }

 private:
  struct Chunk {
    int64_t phase, first_line, last_line;
  };

  void add_chunks(int64_t i) {
    const TransposePhase& phase = phases_[size_t(i)];
    const double multiplies =
        double(phase.axes[2].count) * double(phase.taps.size()) * double(g_.group_in()) * double(g_.out_channels);
    const auto step = std::max<int64_t>(1, int64_t(double(kProductChunkMultiplies) / std::max(1.0, multiplies)));
    const int64_t lines = g_.batch * phase.lines();
    for (int64_t line = 0; line < lines; line += step) chunks_.push_back({i, line, std::min(lines, line + step)});
  }

  PackedForm form() const {
    PackedForm form = packed_form("conv transpose", panels_, {g_.group});
    for (const ConvAxis& a : g_.axes) {
      form.numbers.insert(form.numbers.end(), {a.out, a.stride, a.dilation, a.pad_begin});
    }
    return form;
  }

  /// Returns one tap of a group's weights. w: [in channels, out channels / group, taps].
  GemmWeights<T> weights(const T* w, int64_t group, int64_t tap) const {
    GemmWeights<T> result;
    result.depth = g_.group_in();
    result.columns = g_.group_out();
    result.depth_stride = g_.group_out() * g_.taps();
    result.column_stride = g_.taps();
    result.data = w + group * g_.group_in() * result.depth_stride + tap;
    return result;
  }

  int64_t phase_taps(const TransposePhase& phase) const { return int64_t(phase.taps.size()); }
  int64_t group_size(const TransposePhase& phase) const {
    return packed_size(panels_, phase_taps(phase), g_.group_in());
  }

  void pack(const T* w, T* packed) const {
    Checkpoints checkpoints;
    for (const TransposePhase& phase : phases_) {
      for (int64_t group = 0; group < g_.group; ++group) {
        for (int64_t panel = 0; panel < panels_.count(); ++panel) {
          const int64_t tap_size =
              panel_begin(panels_, panel + 1, 1, g_.group_in()) - panel_begin(panels_, panel, 1, g_.group_in());
          for (const TransposePhase::Tap& tap : phase.taps) {
            pack_panel(weights(w, group, tap.kernel), panels_, panel, packed, checkpoints);
            packed += tap_size;
          }
        }
      }
    }
  }

  const T* pack_in_scratch(const T* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<T*>(context.scratch() + pointer_bytes_);
    pack(w, packed);
    return packed;
  }

  /// Computes the outputs of a phase along the width, for all groups.
  void run_line(const ConvOperands<T>& operands, const T* w, int64_t index, int64_t line, const T** pointers,
                Checkpoints& checkpoints) const {
    const TransposePhase& phase = phases_[size_t(index)];
    const auto& [depth, height, width] = phase.axes;
    const auto& [zs, ys, xs] = g_.axes;
    const int64_t n = line / phase.lines(), z = line / height.count % depth.count, y = line % height.count;
    const int64_t out_line = (n * zs.out + depth.first + z * zs.stride) * ys.out + height.first + y * ys.stride;
    GemmStrip<Type> strip;
    strip.taps = phase_taps(phase);
    strip.depth = g_.group_in();
    strip.a = pointers;
    strip.panels = &panels_;
    strip.panel_end = panels_.count();
    strip.b_rows = strip.taps * strip.depth;
    strip.y_pitch = xs.stride * g_.out_channels;
    const int64_t strips = ceil_div(width.count, strip_rows_);
    for (int64_t i = 0; i < strips; ++i) {
      const Span part = Span{0, width.count}.part(strips, i);
      strip.rows = int(part.size());
      gather(phase, operands.x, {n, depth.base + z, height.base + y, width.base + part.begin}, strip.rows, pointers);
      const int64_t pixel = out_line * xs.out + width.first + part.begin * xs.stride;
      for (int64_t g = 0; g < g_.group; ++g) {
        strip.a_offset = g * g_.group_in();
        strip.b = w + packed_begin_[size_t(index)] + g * group_size(phase);
        strip.y = operands.y + pixel * g_.out_channels + g * g_.group_out();
        strip.epilogue.bias = operands.bias ? operands.bias + g * g_.group_out() : nullptr;
        kernels_.strip(strip);
        checkpoints.add(int64_t{strip.rows} * strip.b_rows * panels_.count());
      }
    }
  }

  /// Writes the addresses of the input pixels of `rows` outputs. The first one has the base (n, z, y, x).
  void gather(const TransposePhase& phase, const T* x, const std::array<int64_t, 4>& base, int rows,
              const T** pointers) const {
    const auto& [zs, ys, xs] = g_.axes;
    for (const TransposePhase::Tap& tap : phase.taps) {
      const int64_t z = base[1] + tap.offset[0], y = base[2] + tap.offset[1], column = base[3] + tap.offset[2];
      const bool line_inside = z >= 0 && z < zs.in && y >= 0 && y < ys.in;
      for (int i = 0; i < rows; ++i) {
        const bool inside = line_inside && column + i >= 0 && column + i < xs.in;
        const int64_t pixel = ((base[0] * zs.in + z) * ys.in + y) * xs.in + column + i;
        *pointers++ = inside ? x + pixel * g_.in_channels : zeros_.data();
      }
    }
  }

  ConvGeometry g_;
  GemmKernels<Type> kernels_;
  GemmPanels panels_;
  int strip_rows_ = 1;
  CountedVector<TransposePhase> phases_;
  CountedVector<T> zeros_;
  CountedVector<int64_t> packed_begin_;  // start of each phase
  int64_t packed_size_ = 0;
  CountedVector<Chunk> chunks_;
  size_t pointer_bytes_ = 0;
  Tensor packed_;
};

}  // namespace

template <class T>
ConvAlgorithmPtr<T> make_transpose_gemm(const ConvGeometry& geometry, const CompileInput& in) {
  return std::make_unique<TransposeGemm<T>>(geometry, in);
}

template ConvAlgorithmPtr<float> make_transpose_gemm(const ConvGeometry&, const CompileInput&);
template ConvAlgorithmPtr<double> make_transpose_gemm(const ConvGeometry&, const CompileInput&);

}  // namespace linnet

#include "gemm/bfloat16_pairs.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "kernels/convert.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

constexpr int kPair = GemmBFloat16Pairs::kUnit;

bool is_asked_for(const CompileInput& in) {
  return in.dtype(0) == DType::kFloat32 && model_resources(in).options.precision == ProductPrecision::kBFloat16;
}

bool is_supported(const CompileInput& in) {
  return kernels_for<GemmKernels<GemmBFloat16Pairs>>(in.isa()).strip != nullptr;
}

/// Packs one panel as [tap][pair][column][2].
void pack_pairs_panel(const GemmWeights<float>& w, const GemmPanels& panels, int64_t panel, BFloat16* to) {
  const int64_t first = panels.first_column(panel), end = panels.end_column(panel + 1);
  const int64_t width = panels.first_column(panel + 1) - first;
  std::fill_n(to, panel_rows(w.taps, w.depth, kPair) * width * kPair, BFloat16());
  for (int64_t t = 0; t < w.taps; ++t) {
    for (int64_t j = first; j < end; ++j) {
      const float* from = w.data + t * w.tap_stride + j * w.column_stride;
      BFloat16* column = to + (t * ceil_div(w.depth, kPair) * width + j - first) * kPair;
      for (int64_t k = 0; k < w.depth; ++k) {
        column[k / kPair * width * kPair + k % kPair] = BFloat16(w.scale * from[k * w.depth_stride]);
      }
    }
  }
}

}  // namespace

bool multiplies_bfloat16(const CompileInput& in) { return is_asked_for(in) && is_supported(in) && in.constant(1); }

std::string bfloat16_text(const CompileInput& in) {
  if (multiplies_bfloat16(in)) return ", bfloat16";
  if (!is_asked_for(in)) return "";
  return is_supported(in) ? ", float32: the weights are not constant"
                          : ", float32: the instruction set has no products of bfloat16";
}

void round_rows(Executor& executor, Isa isa, const float* x, int64_t rows, int64_t depth, BFloat16* y) {
  const ConvertKernels& kernels = kernels_for<ConvertKernels>(isa);
  const int64_t pitch = depth + depth % kPair;
  if (pitch == depth) {
    return parallel_items(executor, rows * depth, 1, [&](int64_t begin, int64_t end, int) {
      kernels.bfloat16_of_float(x + begin, y + begin, end - begin);
    });
  }
  parallel_items(executor, rows, depth, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      kernels.bfloat16_of_float(x + i * depth, y + i * pitch, depth);
      y[i * pitch + depth] = BFloat16();
    }
  });
}

void pack_pairs(const GemmWeights<float>& weights, const GemmPanels& panels, BFloat16* packed, Executor& executor) {
  executor.parallel_for(panels.count(), [&](int64_t panel, int) {
    pack_pairs_panel(weights, panels, panel, packed + panel_begin(panels, panel, weights.taps, weights.depth, kPair));
  });
}

}  // namespace linnet

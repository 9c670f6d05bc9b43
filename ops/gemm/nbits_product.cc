#include "gemm/nbits_product.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "gemm/nbits_strips.h"
#include "gemm/nbits_unpacked.h"
#include "gemm/panels.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kRowPartBytes = 512 * 1024;  // part of A that stays in the second-level cache while panels are read
constexpr int64_t kFewestPartStrips = 2;       // strips that read a panel while it is cached
constexpr int64_t kMostPartRows = 96;

/// The division of rows and panels of columns into chunks.
struct Division {
  int64_t rows = 0, panels = 0;
  int64_t row_parts = 1, panel_parts = 1;

  int64_t chunks() const { return checked_mul(row_parts, panel_parts); }
  Span rows_of(int64_t chunk) const { return Span{0, rows}.part(row_parts, chunk % row_parts); }
  Span panels_of(int64_t chunk) const { return Span{0, panels}.part(panel_parts, chunk / row_parts); }
  int64_t most_rows() const { return ceil_div(rows, row_parts); }
};

/// Divides a product. row_bytes: of A. Every part of the panels prepares the rows again.
Division divide(int64_t rows, int64_t panels, int64_t row_bytes, int64_t panel_multiplies, int strip, int workers) {
  Division d{rows, panels};
  const int64_t fit = kRowPartBytes / std::max<int64_t>(1, row_bytes);
  d.row_parts = ceil_div(rows, std::clamp<int64_t>(fit, checked_mul(kFewestPartStrips, strip), kMostPartRows));
  if (workers == 1) return d;
  const double work = double(rows) * double(panels) * double(panel_multiplies);
  const auto wanted =
      int64_t(std::min(work / double(kProductChunkMultiplies), double(kProductChunksPerWorker) * workers));
  d.panel_parts = std::clamp<int64_t>(ceil_div(wanted, d.row_parts), 1, panels);
  return d;
}

/// Scratch of a worker: strips; a reordered row; unpacked panels. Scratch of the first worker also: B where it is not
/// constant.
template <class A>
class NBitsKernel final : public Kernel {
 public:
  NBitsKernel(const NBitsProduct& product, const CompileInput& in)
      : p_(product),
        kernels_(in.isa()),
        b_(p_.matrix, p_.b, in, kernels_.lanes(), kernels_.half_scales()),
        has_bias_(in.has(p_.bias)) {
    const NBitsForm& form = b_.form();
    const int64_t depth = checked_mul(form.blocks, form.block), rows = in.shape(p_.a).elements() / p_.matrix.k;
    work_ = divide(rows, ceil_div(p_.matrix.n, form.lanes), checked_mul(depth, sizeof(A)),
                   checked_mul(depth, form.lanes), kernels_.rows(form), in.executor().workers());
    unpacked_rows_ = kernels_.unpacked_rows(form, work_.most_rows());
    row_offset_ = NBitsStrips<A>::scratch_bytes(form, work_.most_rows());
    unpacked_offset_ = row_offset_ + (in.has(p_.b.order) ? aligned(dtype_bytes(DType::kFloat32, depth)) : 0);
    b_offset_ = unpacked_offset_ + (unpacked_rows_ ? UnpackedNBits::scratch_bytes(form, work_.most_rows()) : 0);
  }

  void run(KernelContext& context) const override {
    const NBitsPacking::View b = b_.view(context, context.scratch() + b_offset_);
    context.executor().parallel_for(work_.chunks(), [&](int64_t chunk, int worker) {
      const Span lines = work_.rows_of(chunk), panels = work_.panels_of(chunk);
      std::byte* scratch = context.scratch(worker);
      const NBitsStrips<A> strips(b.form, lines.size(), unpacked_rows_ ? unpacked_rows_ : kernels_.rows(b.form),
                                  scratch);
      const float* a = context.input(p_.a).data<float>() + lines.begin * p_.matrix.k;
      put_rows(a, b, strips, reinterpret_cast<float*>(scratch + row_offset_));
      float* y = context.output(0).data<float>() + lines.begin * p_.matrix.n;
      const float* bias = has_bias_ ? context.input(p_.bias).data<float>() : nullptr;
      if constexpr (std::is_same_v<A, float>) {
        if (unpacked_rows_) return multiply_unpacked(strips, b, panels, bias, y, scratch);
      }
      for (int64_t panel = panels.begin; panel < panels.end; ++panel) multiply(strips, b, panel, bias, y);
    });
  }

  size_t scratch_bytes() const override { return b_offset_ + b_.scratch_bytes(); }
  bool reads(int input) const override { return input == p_.a || input == p_.bias || !b_.packed(); }
  std::string describe() const override {
    const int highest = unpacked_rows_ ? unpacked_rows_ : kernels_.rows(b_.form());
    const int64_t rows = work_.most_rows(), strips = std::max<int64_t>(1, ceil_div(rows, highest));
    return str(p_.matrix.bits, "-bit blocks of ", p_.matrix.block_size, p_.quantized ? ", int8 " : ", float32 ",
               ceil_div(rows, strips), "x", kernels_.lanes() * (unpacked_rows_ ? 2 : 1),
               unpacked_rows_ ? ", unpacked" : "", b_.form().half_scales ? ", float16 scales" : "",
               b_.packed() ? "" : ", packing B");
  }

 private:
  void put_rows(const float* a, const NBitsPacking::View& b, const NBitsStrips<A>& strips, float* ordered) const {
    const int64_t k = p_.matrix.k, depth = b.form.blocks * b.form.block;
    for (int64_t s = 0; s < strips.count(); ++s) {
      const Span rows = strips.rows(s);
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        const float* row = a + i * k;
        if (b.rows().in_order()) {
          kernels_.put(b.form, row, k, i - rows.begin, rows.size(), strips[s]);
        } else {
          for (int64_t j = 0; j < depth; ++j) ordered[j] = b.rows().row(j) < 0 ? 0.0f : row[b.rows().row(j)];
          kernels_.put(b.form, ordered, depth, i - rows.begin, rows.size(), strips[s]);
        }
      }
    }
  }

  void multiply(const NBitsStrips<A>& strips, const NBitsPacking::View& b, int64_t panel, const float* bias,
                float* y) const {
    const int64_t column = panel * b.form.lanes, n = p_.matrix.n;
    NBitsTile<A> tile{.form = &b.form, .b = b.panels + panel * b.form.blocks * b.form.block_bytes(), .y_pitch = n};
    tile.columns = std::min<int64_t>(b.form.lanes, n - column);
    tile.bias = bias ? bias + column : nullptr;
    for (int64_t s = 0; s < strips.count(); ++s) {
      const NBitsStrip<A> strip = strips[s];
      tile.rows = int(strips.rows(s).size());
      tile.a = strip.values;
      tile.a_scales = strip.scales;
      tile.a_sums = strip.sums;
      tile.y = y + strips.rows(s).begin * n + column;
      kernels_.multiply(tile);
    }
  }

  void multiply_unpacked(const NBitsStrips<float>& strips, const NBitsPacking::View& b, const Span& panels,
                         const float* bias, float* y, std::byte* scratch) const {
    const UnpackedNBits unpacked(kernels_.floats(), b.form, scratch + unpacked_offset_);
    const int64_t n = p_.matrix.n, lanes = b.form.lanes, panel_bytes = b.form.blocks * b.form.block_bytes();
    for (int64_t panel = panels.begin; panel < panels.end; panel += 2) {
      const int count = int(std::min<int64_t>(2, panels.end - panel));
      const float* products = unpacked.multiply(strips, b.panels + panel * panel_bytes, count);
      const int64_t column = panel * lanes, columns = std::min(count * lanes, n - column);
      for (int64_t i = 0; i < strips.rows(); ++i, products += count * lanes) {
        float* to = y + i * n + column;
        std::copy_n(products, columns, to);
        for (int64_t j = 0; bias && j < columns; ++j) to[j] += bias[column + j];
      }
    }
  }

  NBitsProduct p_;
  NBitsKernels<A> kernels_;
  NBitsPacking b_;
  bool has_bias_;
  Division work_;
  int unpacked_rows_ = 0;  ///< rows of a tile; 0: panels are not unpacked
  size_t row_offset_ = 0, unpacked_offset_ = 0, b_offset_ = 0;
};

}  // namespace

bool multiplies_bytes(int64_t accuracy_level, const CompileInput& in) {
  constexpr int kOpen = 0, kBytes = 4;
  return accuracy_level == kBytes || (accuracy_level == kOpen && model_resources(in).options.fast_int4);
}

KernelPtr make_nbits_product(const NBitsProduct& product, const CompileInput& in) {
  if (product.quantized) return std::make_unique<NBitsKernel<int8_t>>(product, in);
  return std::make_unique<NBitsKernel<float>>(product, in);
}

}  // namespace linnet

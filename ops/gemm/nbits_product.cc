#include "gemm/nbits_product.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/kernel_table.h"
#include "partition/parts.h"
#include "tensor/alignment.h"
#include "tensor/checksum.h"

namespace linnet {
namespace {

constexpr int64_t kRowPartBytes = 512 * 1024;  // of A: what stays in the second-level cache while panels pass
constexpr int64_t kFewestPartStrips = 2;       // that read a panel once it is there
constexpr int64_t kMostPartRows = 96;
constexpr int64_t kChunkMultiplies = 1024 * 1024;  // the least work that is worth a chunk of its own
constexpr int64_t kChunksPerWorker = 4;

/// Rows of A in the form that tiles read, strip by strip.
template <class A>
struct Strips {
  A* values;
  float* scales;
  int32_t* sums;
  float* row;  ///< one row in the order of B's rows
};

/// Both families of kernels under one name.
template <class A>
class Kernels {
 public:
  explicit Kernels(Isa isa) : floats_(kernel_table(isa).nbits_f32), bytes_(kernel_table(isa).nbits_s8) {}

  int lanes() const { return floats_.lanes; }
  bool half_scales() const { return floats_.half_scales; }
  int rows() const;
  void multiply(const NBitsTile<A>& tile) const;
  /// Row i of `rows` of a strip, of n values, from `a`.
  void put(const NBitsForm& form, const float* a, int64_t n, int i, int rows, const Strips<A>& strip) const;

 private:
  const NBitsFloatKernels& floats_;
  const NBitsByteKernels& bytes_;
};

template <>
int Kernels<float>::rows() const {
  return floats_.rows;
}
template <>
int Kernels<int8_t>::rows() const {
  return bytes_.rows;
}
template <>
void Kernels<float>::multiply(const NBitsTile<float>& tile) const {
  floats_.multiply(tile);
}
template <>
void Kernels<int8_t>::multiply(const NBitsTile<int8_t>& tile) const {
  bytes_.multiply(tile);
}
template <>
void Kernels<float>::put(const NBitsForm& form, const float* a, int64_t n, int i, int rows,
                         const Strips<float>& strip) const {
  float* to = strip.values + i;
  for (int64_t k = 0; k < n; ++k) to[k * rows] = a[k];
  for (int64_t k = n; k < form.blocks * form.block; ++k) to[k * rows] = 0;
}
template <>
void Kernels<int8_t>::put(const NBitsForm& form, const float* a, int64_t n, int i, int rows,
                          const Strips<int8_t>& strip) const {
  bytes_.quantize(a, n, form.block, rows, bytes_.factor(form), strip.values + 4 * i, strip.scales + i, strip.sums + i);
}

/// How rows and columns are divided into chunks, and those into strips of rows and panels.
struct Division {
  int64_t rows = 0, panels = 0;
  int64_t row_parts = 1, panel_parts = 1;

  int64_t chunks() const { return row_parts * panel_parts; }
  Span rows_of(int64_t chunk) const { return Span{0, rows}.part(row_parts, chunk % row_parts); }
  Span panels_of(int64_t chunk) const { return Span{0, panels}.part(panel_parts, chunk / row_parts); }
  int64_t most_rows() const { return ceil_div(rows, row_parts); }
};

Division divide(int64_t rows, int64_t panels, int64_t row_bytes, int64_t panel_multiplies, int strip, int workers) {
  Division d{rows, panels};
  const int64_t fit = kRowPartBytes / std::max<int64_t>(1, row_bytes);
  d.row_parts = ceil_div(rows, std::clamp<int64_t>(fit, kFewestPartStrips * strip, kMostPartRows));
  if (workers == 1) return d;
  const double work = double(rows) * double(panels) * double(panel_multiplies);
  const auto wanted = int64_t(std::min(work / double(kChunkMultiplies), double(kChunksPerWorker * workers)));
  d.panel_parts = std::clamp<int64_t>(ceil_div(wanted, d.row_parts), 1, panels);
  return d;
}

/// Scratch of a worker: rows of A as tiles read them; behind the first one's, B where it is not constant.
template <class A>
class NBitsKernel final : public Kernel {
 public:
  NBitsKernel(const NBitsProduct& product, const CompileInput& in)
      : p_(product), m_(product.matrix), kernels_(in.isa()), has_bias_(in.has(NBitsProduct::kBias)) {
    const bool ordered = in.has(NBitsProduct::kOrder), constant_order = in.constant(NBitsProduct::kOrder);
    if (!ordered || constant_order) rows_.emplace(m_, ordered ? *in.constant(NBitsProduct::kOrder) : Tensor());
    const bool constant = rows_ && constant_parts(in);
    // Every block of the matrix may fill one in part.
    if (!rows_) capacity_ = ceil_div(m_.k, NBitsRows(m_, Tensor()).block()) + m_.blocks();
    if (constant) pack(in);
    if (!constant) form_ = form_in_run(in);
    divide_work(in);
    if (!constant) {
      packed_offset_ = scratch_bytes_;
      scratch_bytes_ += aligned(dtype_bytes(DType::kUint8, packed_bytes(m_, form_)));
    }
  }

  void run(KernelContext& context) const override {
    NBitsForm form = form_;
    std::optional<NBitsRows> own;
    const std::byte* b = packed_ ? static_cast<const std::byte*>(packed_.raw()) : pack_in_run(context, form, own);
    const NBitsRows& rows = own ? *own : *rows_;
    context.executor().parallel_for(work_.chunks(), [&](int64_t chunk, int worker) {
      const Strips<A> strips = strips_in(context.scratch(worker));
      const Span lines = work_.rows_of(chunk);
      put_rows(context, form, rows, lines, strips);
      const Span panels = work_.panels_of(chunk);
      for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
        multiply(context, form, b + panel * form.blocks * form.block_bytes(), panel, lines, strips);
      }
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input == NBitsProduct::kA || input == NBitsProduct::kBias || !packed_; }
  std::string describe() const override {
    return str(m_.bits, "-bit blocks of ", m_.block_size, sizeof(A) == 1 ? ", int8 " : ", float32 ",
               ceil_div(work_.most_rows(), strips_of(work_.most_rows())), "x", kernels_.lanes(),
               form_.half_scales ? ", float16 scales" : "", packed_ ? "" : ", packing B");
  }

 private:
  static bool constant_parts(const CompileInput& in) {
    return in.constant(NBitsProduct::kCodes) && in.constant(NBitsProduct::kScales) &&
           (!in.has(NBitsProduct::kZeros) || in.constant(NBitsProduct::kZeros));
  }

  NBitsParts constants(const CompileInput& in) const {
    const auto part = [&](int input) { return in.constant(input) ? *in.constant(input) : Tensor(); };
    return {part(NBitsProduct::kCodes), part(NBitsProduct::kScales), part(NBitsProduct::kZeros),
            part(NBitsProduct::kOrder)};
  }

  /// Codes, packed with all that belongs to them.
  void pack(const CompileInput& in) {
    const NBitsParts parts = constants(in);
    form_ = nbits_form(m_, parts, *rows_, kernels_.lanes(), kernels_.half_scales());
    Checksummer others;
    for (const Tensor* part : {&parts.scales, &parts.zeros, &parts.order}) {
      others.add(std::string_view(static_cast<const char*>(part->raw()), *part ? part->bytes() : 0));
    }
    const Checksum sum = others.result();
    const PackedForm form{"blocks of codes",
                          {m_.k, m_.n, m_.bits, m_.block_size, form_.lanes, form_.half_scales, int64_t(form_.zeros),
                           std::bit_cast<int64_t>(sum.low), std::bit_cast<int64_t>(sum.high)}};
    packed_ = in.packed(parts.codes, form, [&] {
      Tensor packed = in.packed_memory(DType::kUint8, Shape{packed_bytes(m_, form_)});
      pack_nbits(m_, parts, *rows_, form_, in.executor(), static_cast<std::byte*>(packed.raw()));
      return packed;
    });
  }

  NBitsForm form_in_run(const CompileInput& in) const {
    NBitsForm form{.bits = m_.bits, .block = NBitsRows(m_, Tensor()).block(), .lanes = kernels_.lanes()};
    form.blocks = rows_ ? rows_->blocks() : capacity_;
    if (in.has(NBitsProduct::kZeros)) {
      form.zeros = in.dtype(NBitsProduct::kZeros) == DType::kUint8 ? NBitsZeros::kBytes : NBitsZeros::kFloats;
    }
    return form;
  }

  const std::byte* pack_in_run(KernelContext& context, NBitsForm& form, std::optional<NBitsRows>& own) const {
    const NBitsParts parts{context.input(NBitsProduct::kCodes), context.input(NBitsProduct::kScales),
                           context.input(NBitsProduct::kZeros), context.input(NBitsProduct::kOrder)};
    check_nbits_contents(m_, parts);
    if (!rows_) own.emplace(m_, parts.order);
    form.blocks = (own ? *own : *rows_).blocks();
    std::byte* packed = context.scratch() + packed_offset_;
    pack_nbits(m_, parts, own ? *own : *rows_, form, context.executor(), packed);
    return packed;
  }

  void divide_work(const CompileInput& in) {
    const int64_t depth = checked_mul(form_.blocks, form_.block);
    const int64_t rows = m_.k == 0 ? 0 : in.shape(NBitsProduct::kA).elements() / m_.k;
    work_ = divide(rows, ceil_div(m_.n, form_.lanes), checked_mul(depth, sizeof(A)), depth * form_.lanes,
                   kernels_.rows(), in.executor().workers());
    const int64_t most = work_.most_rows(), blocks = checked_mul(most, form_.blocks);
    values_bytes_ = aligned(size_t(checked_mul(checked_mul(most, depth), sizeof(A))));
    blocks_bytes_ = sizeof(A) == 1 ? aligned(dtype_bytes(DType::kFloat32, blocks)) : 0;
    scratch_bytes_ = values_bytes_ + 2 * blocks_bytes_;
    if (in.has(NBitsProduct::kOrder)) scratch_bytes_ += aligned(dtype_bytes(DType::kFloat32, depth));
  }

  Strips<A> strips_in(std::byte* scratch) const {
    return {reinterpret_cast<A*>(scratch), reinterpret_cast<float*>(scratch + values_bytes_),
            reinterpret_cast<int32_t*>(scratch + values_bytes_ + blocks_bytes_),
            reinterpret_cast<float*>(scratch + values_bytes_ + 2 * blocks_bytes_)};
  }
  /// Strips that so many rows are divided into.
  int64_t strips_of(int64_t rows) const { return std::max<int64_t>(1, ceil_div(rows, kernels_.rows())); }
  /// The strip whose first row is this one of the chunk's.
  static Strips<A> at(const Strips<A>& strips, const NBitsForm& form, int64_t row) {
    return {strips.values + row * form.blocks * form.block, strips.scales + row * form.blocks,
            strips.sums + row * form.blocks, strips.row};
  }

  void put_rows(KernelContext& context, const NBitsForm& form, const NBitsRows& rows, const Span& lines,
                const Strips<A>& strips) const {
    const float* a = context.input(NBitsProduct::kA).data<float>() + lines.begin * m_.k;
    const int64_t count = strips_of(lines.size());
    for (int64_t s = 0; s < count; ++s) {
      const Span strip = Span{0, lines.size()}.part(count, s);
      for (int64_t line = strip.begin; line < strip.end; ++line) {
        const float* row = a + line * m_.k;
        const int64_t depth = rows.in_order() ? m_.k : form.blocks * form.block;
        if (!rows.in_order()) {
          for (int64_t i = 0; i < depth; ++i) strips.row[i] = rows.row(i) < 0 ? 0.0f : row[rows.row(i)];
          row = strips.row;
        }
        kernels_.put(form, row, depth, int(line - strip.begin), int(strip.size()), at(strips, form, strip.begin));
      }
    }
  }

  void multiply(KernelContext& context, const NBitsForm& form, const std::byte* b, int64_t panel, const Span& lines,
                const Strips<A>& strips) const {
    const int64_t column = panel * form.lanes, count = strips_of(lines.size());
    NBitsTile<A> tile{.form = &form, .b = b, .y_pitch = m_.n, .columns = std::min<int64_t>(form.lanes, m_.n - column)};
    if (has_bias_) tile.bias = context.input(NBitsProduct::kBias).data<float>() + column;
    float* y = context.output(0).data<float>() + lines.begin * m_.n + column;
    for (int64_t s = 0; s < count; ++s) {
      const Span rows = Span{0, lines.size()}.part(count, s);
      const Strips<A> strip = at(strips, form, rows.begin);
      tile.rows = int(rows.size());
      tile.a = strip.values;
      tile.a_scales = strip.scales;
      tile.a_sums = strip.sums;
      tile.y = y + rows.begin * m_.n;
      kernels_.multiply(tile);
    }
  }

  NBitsProduct p_;
  NBitsMatrix m_;
  Kernels<A> kernels_;
  bool has_bias_;
  std::optional<NBitsRows> rows_;  // none where the order is known in the run only
  int64_t capacity_ = 0;
  NBitsForm form_;
  Division work_;
  Tensor packed_;
  size_t values_bytes_ = 0, blocks_bytes_ = 0, packed_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace

KernelPtr make_nbits_product(const NBitsProduct& product, const CompileInput& in) {
  if (product.bytes) return std::make_unique<NBitsKernel<int8_t>>(product, in);
  return std::make_unique<NBitsKernel<float>>(product, in);
}

}  // namespace linnet

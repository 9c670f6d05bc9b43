#include <algorithm>
#include <array>
#include <bit>

#include "experts/expert_order.h"
#include "gemm/nbits_product.h"
#include "gemm/nbits_strips.h"
#include "gemm/nbits_unpacked.h"
#include "graph/checks_contents.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using N = ExpertNBitsInputs;

constexpr int64_t kMostRows = 96;  // number of rows that are prepared at a time
constexpr int64_t kPanels = 32;    // number of panels for which they are prepared
constexpr std::array kTypesOfZeros{DType::kUint8, DType::kFloat32};

/// The matrices of all experts are the columns of a single one. Scratch of a worker: strips of rows, then a tile of
/// results or unpacked weights. The first worker's scratch begins with the order of the products, and ends with weights
/// that are packed in the run.
template <class A>
class ExpertNBitsKernel final : public Kernel {
 public:
  ExpertNBitsKernel(const NBitsMatrix& matrix, const CompileInput& in)
      : depth_(matrix.k),
        products_(in.shape(N::kExperts)[0]),
        experts_(in.shape(N::kCodes)[0]),
        columns_(in.shape(N::kCodes)[1]),
        group_(products_ / std::max<int64_t>(1, in.shape(N::kX)[0])),
        kernels_(in.isa()),
        weights_(matrix, {.codes = N::kCodes, .scales = N::kScales, .zeros = N::kZeros, .order = N::kNone}, in,
                 kernels_.lanes(), kernels_.half_scales()),
        has_bias_(in.has(N::kBias)) {
    const int64_t rows = std::min(kMostRows, products_);
    strips_offset_ = aligned(ExpertOrder::bytes(products_, experts_));
    tile_offset_ = strips_offset_ + NBitsStrips<A>::scratch_bytes(weights_.form(), rows);
    const int64_t tile = checked_mul(kernels_.rows(weights_.form()), kernels_.lanes());
    const size_t tile_bytes = aligned(dtype_bytes(DType::kFloat32, tile));
    weights_offset_ = tile_offset_ + std::max(tile_bytes, UnpackedNBits::scratch_bytes(weights_.form(), rows));
  }

  void run(KernelContext& context) const override {
    const ExpertOrder order(context.input(N::kExperts).values<int64_t>(), experts_, context.scratch());
    const NBitsPacking::View weights = weights_.view(context, context.scratch() + weights_offset_);
    const int64_t lanes = weights.form.lanes, groups = ceil_div(columns_ / lanes + 2, kPanels);
    const int64_t work = products_ * kPanels * lanes * depth_ / kMultipliesPerElement / std::max<int64_t>(1, experts_);
    parallel_items(context.executor(), experts_ * groups, work, [&](int64_t item, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        const int64_t expert = item / groups, last = ceil_div((expert + 1) * columns_, lanes);
        const int64_t first = std::min(last, expert * columns_ / lanes + item % groups * kPanels);
        multiply({.weights = weights,
                  .expert = expert,
                  .panels = {first, std::min(last, first + kPanels)},
                  .x = context.input(N::kX).data<float>(),
                  .bias = has_bias_ ? context.input(N::kBias).data<float>() : nullptr,
                  .y = context.output(0).data<float>(),
                  .scratch = context.scratch(worker)},
                 order.products(expert), checkpoints);
      }
    });
  }

  size_t scratch_bytes() const override { return weights_offset_ + weights_.scratch_bytes(); }
  bool reads(int input) const override { return input < N::kCodes || input == N::kBias || !weights_.packed(); }
  std::string describe() const override {
    return str(weights_.form().bits, "-bit blocks, ", std::is_same_v<A, int8_t> ? "int8" : "float32",
               weights_.packed() ? "" : ", packing weights");
  }

 private:
  /// Some panels of an expert, and the destination of its results.
  struct Part {
    const NBitsPacking::View& weights;
    int64_t expert;
    Span panels;
    const float* x;
    const float* bias;  ///< of all experts; may be null
    float* y;
    std::byte* scratch;  ///< of the worker

    const std::byte* panel(int64_t i) const {
      return weights.panels + i * weights.form.blocks * weights.form.block_bytes();
    }
  };

  void multiply(const Part& part, std::span<const int64_t> products, Checkpoints& checkpoints) const {
    for (size_t begin = 0; begin < products.size() && part.panels.size() > 0; begin += kMostRows) {
      const auto rows = products.subspan(begin, std::min(size_t(kMostRows), products.size() - begin));
      const NBitsForm& form = part.weights.form;
      const int unpacked = kernels_.unpacked_rows(form, std::ssize(rows));
      const NBitsStrips<A> strips(form, std::ssize(rows), unpacked ? unpacked : kernels_.rows(form),
                                  part.scratch + strips_offset_);
      put_rows(part, strips, rows);
      if constexpr (std::is_same_v<A, float>) {
        if (unpacked) {
          multiply_unpacked(part, strips, rows, checkpoints);
          continue;
        }
      }
      for (int64_t s = 0; s < strips.count(); ++s) {
        const Span span = strips.rows(s);
        multiply_strip(part, strips[s], rows.subspan(size_t(span.begin), size_t(span.size())), checkpoints);
      }
    }
  }

  void put_rows(const Part& part, const NBitsStrips<A>& strips, std::span<const int64_t> products) const {
    for (int64_t s = 0; s < strips.count(); ++s) {
      const Span rows = strips.rows(s);
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        kernels_.put(part.weights.form, part.x + products[size_t(i)] / group_ * depth_, depth_, i - rows.begin,
                     rows.size(), strips[s]);
      }
    }
  }

  void multiply_strip(const Part& part, const NBitsStrip<A>& strip, std::span<const int64_t> products,
                      Checkpoints& checkpoints) const {
    const NBitsForm& form = part.weights.form;
    NBitsTile<A> tile{.form = &form, .rows = int(products.size()), .a = strip.values};
    tile.a_scales = strip.scales;
    tile.a_sums = strip.sums;
    tile.y = reinterpret_cast<float*>(part.scratch + tile_offset_);
    tile.y_pitch = tile.columns = form.lanes;
    for (int64_t panel = part.panels.begin; panel < part.panels.end; ++panel) {
      tile.b = part.panel(panel);
      kernels_.multiply(tile);
      store(part, products, tile.y, panel * form.lanes, form.lanes);
      checkpoints.add(depth_ * form.lanes);
    }
  }

  void multiply_unpacked(const Part& part, const NBitsStrips<float>& strips, std::span<const int64_t> products,
                         Checkpoints& checkpoints) const {
    const NBitsForm& form = part.weights.form;
    const UnpackedNBits unpacked(kernels_.floats(), form, part.scratch + tile_offset_);
    for (int64_t panel = part.panels.begin; panel < part.panels.end; panel += 2) {
      const int count = int(std::min<int64_t>(2, part.panels.end - panel));
      const float* tile = unpacked.multiply(strips, part.panel(panel), count);
      store(part, products, tile, panel * form.lanes, int64_t{count} * form.lanes);
      checkpoints.add(depth_ * std::ssize(products));
    }
  }

  /// Stores the columns that belong to the expert, of rows of `pitch` columns of all experts from `column` on.
  void store(const Part& part, std::span<const int64_t> products, const float* tile, int64_t column,
             int64_t pitch) const {
    const int64_t own = part.expert * columns_;
    const int64_t begin = std::max(column, own), end = std::min(column + pitch, own + columns_);
    for (const int64_t product : products) {
      float* y = part.y + product * columns_ - own;
      for (int64_t j = begin; j < end; ++j) y[j] = tile[j - column] + (part.bias ? part.bias[j] : 0.0f);
      tile += pitch;
    }
  }

  int64_t depth_, products_, experts_, columns_;
  int64_t group_;  ///< number of products of a row of x
  NBitsKernels<A> kernels_;
  NBitsPacking weights_;
  bool has_bias_;
  size_t strips_offset_ = 0, tile_offset_ = 0, weights_offset_ = 0;
};

/// ExpertMatMulNBits, of the internal domain "linnet": ExpertMatMul with weights of few bits, (code - zero_point) *
/// scale of their block, as in MatMulNBits.
/// - bits: 2, 4 or 8; block_size: a power of two, at least 16; accuracy_level: see MatMulNBits
/// - x: float32 [rows, depth]; experts: int64 [products]
/// - codes: uint8 [matrices, columns, bytes]; scales: float32 [matrices, columns, blocks]
/// - zero_points (2^(bits - 1)): uint8 [matrices, columns, bytes], or float32 like scales
/// - bias: float32 [matrices, columns]; y: float32 [products, columns]
class ExpertMatMulNBits final : public Op, public ChecksContents {
 public:
  explicit ExpertMatMulNBits(const NodeSpec& node)
      : bits_(node.attr<int64_t>("bits")),
        block_size_(node.attr<int64_t>("block_size")),
        level_(node.attr_or("accuracy_level", 0)) {
    if (bits_ != 2 && bits_ != 4 && bits_ != 8) {
      throw Error(ErrorKind::kModel, str("bits must be 2, 4 or 8, got ", bits_));
    }
    if (block_size_ < 16 || !std::has_single_bit(uint64_t(block_size_))) {
      throw Error(ErrorKind::kModel, str("block_size must be a power of two from 16 on, got ", block_size_));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 4, 6);
    for (const int i : {N::kX, N::kScales, N::kBias}) {
      if (has_input(in, i)) require_dtype(in[size_t(i)], DType::kFloat32, "x, scales and bias");
    }
    require_dtype(in[N::kExperts], DType::kInt64, "experts");
    require_dtype(in[N::kCodes], DType::kUint8, "codes");
    if (has_input(in, N::kZeros)) require_dtype_in(in[N::kZeros], kTypesOfZeros, "zero_points");
    const Dims dims =
        expert_product_dims(in[N::kX], in[N::kExperts], in[N::kCodes], has_input(in, N::kBias) ? in[N::kBias] : Fact());
    if (in[N::kX].has_rank() && in[N::kX].dim(1).known() && in[N::kCodes].concrete()) check_parts(in);
    return {Fact(DType::kFloat32, dims)};
  }

  void check_contents(std::span<const Fact> in) const override { check_nbits_scales(in[N::kScales].constant); }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(N::kX)); }

  KernelPtr compile(const CompileInput& in) const override {
    const NBitsMatrix matrix = this->matrix(in.shape(N::kX)[1], in.shape(N::kCodes));
    if (multiplies_bytes(level_, in)) return std::make_unique<ExpertNBitsKernel<int8_t>>(matrix, in);
    return std::make_unique<ExpertNBitsKernel<float>>(matrix, in);
  }

 private:
  NBitsMatrix matrix(int64_t depth, const Shape& codes) const {
    return {.k = depth, .n = checked_mul(codes[0], codes[1]), .bits = int(bits_), .block_size = block_size_};
  }

  void check_parts(std::span<const Fact> in) const {
    const Fact zeros = has_input(in, N::kZeros) ? in[N::kZeros] : Fact();
    check_nbits_parts(matrix(in[N::kX].dim(1).value(), in[N::kCodes].shape()), in[N::kCodes], in[N::kScales], zeros,
                      Fact());
  }

  int64_t bits_, block_size_, level_;
};

}  // namespace

LINNET_REGISTER(expert_matmul_nbits)(Registry& registry) {
  registry.add<ExpertMatMulNBits>("ExpertMatMulNBits", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "elements/bit_stream.h"
#include "elements/cast_path.h"
#include "indexing/indices.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "partition/parallel.h"
#include "quantization/parameter.h"
#include "quantization/scale_layout.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr std::array kData{DType::kUint8, DType::kInt4, DType::kUint4};
constexpr std::array kScales{DType::kFloat32, DType::kFloat16, DType::kBFloat16};

/// The layout of the elements of `data`, and their scales. Rows of uint8 hold 8 / bits elements in each byte.
struct CodeTable {
  Shape shape{};  ///< of the elements
  DType dtype = DType::kUint8;
  int bits = 4;
  int64_t block = 128;
  int gather_axis = 0, quantize_axis = 0;

  bool is_signed() const { return dtype == DType::kInt4; }
  int64_t length() const { return shape[quantize_axis]; }
  int64_t blocks() const { return ceil_div(length(), block); }
  /// The number of zero points of a row, including those that pad its last byte.
  int64_t packed_blocks() const {
    return dtype == DType::kUint8 ? checked_mul(ceil_div(blocks(), 8 / bits), 8 / bits) : blocks();
  }
  Shape scale_shape() const {
    Shape scales = shape;
    scales[quantize_axis] = blocks();
    return scales;
  }
};

/// y[o, i, :] = the elements [o, indices[i], :], dequantised.
class GatherBlockQuantizedKernel final : public Kernel {
 public:
  GatherBlockQuantizedKernel(const CodeTable& table, const CompileInput& in)
      : t_(table),
        layout_(t_.shape, t_.scale_shape(), t_.quantize_axis, t_.block),
        outer_(t_.shape.elements(0, t_.gather_axis)),
        dim_(t_.shape[t_.gather_axis]),
        row_(t_.shape.elements(t_.gather_axis + 1, t_.shape.rank())),
        inner_(t_.shape.elements(t_.quantize_axis + 1, t_.shape.rank())),
        dequantize_(kernels_for<QuantizeKernels>(in.isa())
                        .grid(t_.is_signed() ? DType::kInt8 : DType::kUint8)
                        ->dequantize_blocks),
        y_bytes_(dtype_bits(in.output_dtype(0)) / 8) {
    if (is_half(in.output_dtype(0))) narrow_ = *cast_path(DType::kFloat32, in.output_dtype(0), in.isa());
  }

  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    const int64_t n = indices.size();
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    parallel_items(context.executor(), outer_ * n, row_, [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t index = indices.wrapped(r % n, dim_);
        std::byte* to = y + r * row_ * y_bytes_;
        if (index >= 0 && index < dim_)
          write_row(context, (r / n * dim_ + index) * row_, to);
        else
          std::memset(to, 0, size_t(row_ * y_bytes_));
      }
    });
  }

 private:
  static constexpr int64_t kMostRun = kQuantizationBlock;

  /// Writes a row of elements from `first` on.
  void write_row(KernelContext& context, int64_t first, std::byte* y) const {
    for (const int64_t end = first + row_; first < end;) {
      ScaleRun run = layout_.run(first, end);
      const int64_t whole = run.block > kMostRun ? kMostRun : kMostRun / run.block * run.block;
      run.n = std::min(run.n, whole);
      dequantize(context, first, run, y);
      first += run.n;
      y += run.n * y_bytes_;
    }
  }

  void dequantize(KernelContext& context, int64_t first, const ScaleRun& run, std::byte* y) const {
    uint8_t codes[kMostRun], zeros[kMostRun];
    float scales[kMostRun], values[kMostRun];
    const int64_t count = (run.n - 1) / run.block + 1;
    read(context.input(0), first, run.n, codes);
    for (int64_t i = 0; i < count; ++i) scales[i] = float_at(context.input(2), run.scale + i);
    if (context.input(3))
      read(context.input(3), zero_point_at(run.scale), count, zeros);
    else
      std::fill_n(zeros, count, uint8_t(t_.dtype == DType::kUint8 ? 1 << (t_.bits - 1) : 0));
    float* floats = narrow_.empty() ? reinterpret_cast<float*>(y) : values;
    dequantize_(codes, floats, run.n, run.block, scales, zeros);
    if (!narrow_.empty()) convert_block(narrow_, values, y, run.n);
  }

  void read(const Tensor& codes, int64_t first, int64_t n, uint8_t* y) const {
    if (t_.bits == 8)
      std::copy_n(static_cast<const uint8_t*>(codes.raw()) + first, n, y);
    else
      read_integers(codes.raw(), first, n, t_.bits, t_.is_signed(), y);
  }

  /// The position of the zero point that belongs to a scale. Zero points are padded to whole bytes in each row.
  int64_t zero_point_at(std::ptrdiff_t scale) const {
    const std::ptrdiff_t slab = t_.blocks() * inner_;
    return scale / slab * t_.packed_blocks() * inner_ + scale % slab;
  }

  CodeTable t_;
  ScaleLayout layout_;
  int64_t outer_, dim_, row_, inner_;
  decltype(GridKernels::dequantize_blocks) dequantize_;
  int64_t y_bytes_;
  std::vector<Conversion> narrow_;  ///< of y, if any
};

/// GatherBlockQuantized: Gather from a table of codes. An element is (code - zero_point) * scale of its block, which
/// has block_size (a power of two, 16 or more) elements along quantize_axis. Rows for indices out of bounds are zeros.
/// - gather_axis (0), quantize_axis (1), block_size (128), bits: 2, 4 (default) or 8
/// - data: int4, uint4, or uint8. A byte of uint8 holds 8 / bits elements of the last dim, low bits first; gather_axis
///   is 0 and quantize_axis the last then.
/// - indices: int32/int64
/// - scales: float32, float16 or bfloat16, with data's shape but ceil(dim / block_size) for quantize_axis
/// - zero_points: data's dtype and packing, the shape of scales; default 0 for int4 and uint4, 2^(bits - 1) for uint8
/// - y: scales' dtype
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherBlockQuantized
class GatherBlockQuantized final : public Op {
 public:
  explicit GatherBlockQuantized(const NodeSpec& node)
      : gather_axis_(node.attr_or("gather_axis", 0)),
        quantize_axis_(node.attr_or("quantize_axis", 1)),
        block_(node.attr_or("block_size", 128)),
        bits_(node.attr_or("bits", 4)) {
    if (block_ < 16 || !std::has_single_bit(uint64_t(block_))) {
      throw Error(ErrorKind::kModel, str("block_size must be a power of two from 16 on, got ", block_));
    }
    if (bits_ != 2 && bits_ != 4 && bits_ != 8)
      throw Error(ErrorKind::kModel, str("bits must be 2, 4 or 8, got ", bits_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 4);
    require_dtype_in(in[0], kData, "data");
    require_dtype_in(in[1], kIndexTypes, "indices");
    require_dtype_in(in[2], kScales, "scales");
    if (has_input(in, 3)) require_same_dtype(in[0], in[3], "data and zero_points");
    require_rank_at_least(in[0], 1, "data");
    if (in[0].dtype != DType::kUint8 && bits_ != 4) throw Error(ErrorKind::kModel, "bits must be 4 for int4 and uint4");
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(in[2].dtype, std::nullopt)};
    const int rank = in[0].rank(), axis = normalize_axis(gather_axis_, rank);
    check_axes(in[0], rank, axis);
    if (in[0].concrete()) check_parameters(in);
    Dims dims = *in[0].dims;
    if (in[0].dtype == DType::kUint8 && bits_ < 8) dims.back() = checked_mul(dims.back(), 8 / bits_);
    dims.erase(dims.begin() + axis);
    dims.insert(dims.begin() + axis, in[1].dims->begin(), in[1].dims->end());
    return {Fact(in[2].dtype, dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<GatherBlockQuantizedKernel>(table(in.fact(0)), in);
  }

 private:
  CodeTable table(const Fact& data) const {
    const int rank = data.rank();
    CodeTable t{data.shape(), data.dtype, int(bits_), block_};
    if (data.dtype == DType::kUint8) t.shape[rank - 1] = checked_mul(t.shape[rank - 1], 8 / bits_);
    t.gather_axis = normalize_axis(gather_axis_, rank);
    t.quantize_axis = normalize_axis(quantize_axis_, rank);
    return t;
  }

  void check_axes(const Fact& data, int rank, int axis) const {
    const int quantize_axis = normalize_axis(quantize_axis_, rank);
    if (data.dtype != DType::kUint8 || (axis == 0 && quantize_axis == rank - 1 && rank > 1)) return;
    throw Error(ErrorKind::kModel, "for uint8 data, gather_axis must be 0 and quantize_axis the last of several dims");
  }

  void check_parameters(std::span<const Fact> in) const {
    const CodeTable t = table(in[0]);
    Shape zeros = t.shape;
    zeros[t.quantize_axis] = t.dtype == DType::kUint8 ? ceil_div(t.blocks(), 8 / t.bits) : t.blocks();
    require_shape(in[2], t.scale_shape(), "scales");
    if (has_input(in, 3)) require_shape(in[3], zeros, "zero_points");
  }
  static void require_shape(const Fact& fact, const Shape& shape, const char* name) {
    if (compatible(fact, Fact(fact.dtype, shape))) return;
    throw Error(ErrorKind::kShape, str(name, " must have the shape ", shape, ", got ", fact));
  }

  int64_t gather_axis_, quantize_axis_, block_, bits_;
};

}  // namespace

LINNET_REGISTER(gather_block_quantized)(Registry& registry) {
  registry.add<GatherBlockQuantized>("GatherBlockQuantized", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet

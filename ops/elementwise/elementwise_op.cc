#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "elementwise/elementwise.h"
#include "elementwise/elementwise_chain.h"
#include "elementwise/half_bits.h"
#include "functions/function_table.h"
#include "infer/infer.h"
#include "kernels/binary.h"
#include "kernels/byte_pairs.h"
#include "kernels/byte_rows.h"
#include "kernels/convert.h"
#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "kernels/unary.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int64_t kChainBlock = 512;  // number of elements that all links compute before the next ones

/// A chain with its kernels, computed block by block.
class BlockwiseChain {
 public:
  /// dtypes: those of all operands.
  BlockwiseChain(const ElementwiseChain& chain, std::span<const DType> dtypes, Isa isa)
      : inputs_(chain.inputs), converters_(kernels_for<ConvertKernels>(isa)) {
    for (const DType dtype : dtypes) element_bytes_.push_back(dtype_bytes(dtype, 1));
    for (const ElementwiseChain::Link& link : chain.links) {
      Link& own = links_.emplace_back();
      own.first = link.first;
      own.second = link.second;
      own.alpha = link.alpha;
      own.beta = link.beta;
      const DType result = dtypes[size_t(inputs_) + links_.size() - 1];
      if (link.op == kDequantizeLink) {
        own.dequantize = kernels_for<QuantizeKernels>(isa).of(dtypes[size_t(link.first)]).dequantize;
      } else if (link.op == kWidenLink) {
        const bool half = dtypes[size_t(link.first)] == DType::kFloat16;
        own.convert =
            half ? conversion<&ConvertKernels::float_of_half> : conversion<&ConvertKernels::float_of_bfloat16>;
      } else if (link.op == kFloat16Link) {
        own.convert = conversion<&ConvertKernels::half_of_float>;
      } else if (link.op == kBFloat16Link) {
        own.convert = conversion<&ConvertKernels::bfloat16_of_float>;
      } else if (result != DType::kFloat32) {
        own.quantize = kernels_for<QuantizeKernels>(isa).of(result).quantize;
      } else if (link.second < 0) {
        own.unary = kernels_for<UnaryKernels>(isa).*unary_function(link.op)->kernel;
      } else {
        own.binary = kernels_for<BinaryKernels>(isa).*binary_function(link.op)->kernel;
      }
    }
  }

  void operator()(const Operand* x, void* y, int64_t n) const {
    alignas(64) float results[kMostChainLinks][kChainBlock];
    for (int64_t first = 0; first < n; first += kChainBlock) {
      const int64_t count = std::min(kChainBlock, n - first);
      std::array<Operand, kMostChainInputs + kMostChainLinks> operands;
      for (size_t k = 0; k < size_t(inputs_); ++k) {
        const size_t offset = x[k].scalar ? 0 : size_t(first) * element_bytes_[k];
        operands[k] = {static_cast<const std::byte*>(x[k].data) + offset, x[k].scalar};
      }
      std::byte* block = static_cast<std::byte*>(y) + size_t(first) * element_bytes_.back();
      for (size_t i = 0; i < links_.size(); ++i) {
        void* result = i + 1 == links_.size() ? static_cast<void*>(block) : results[i];
        operands[size_t(inputs_) + i] = {result, run(links_[i], operands.data(), result, count)};
      }
      if (operands[size_t(inputs_) + links_.size() - 1].scalar) repeat_first(block, count);
    }
  }

 private:
  struct Link {
    int64_t first, second;
    float alpha, beta;
    decltype(GridKernels::dequantize) dequantize = nullptr;
    decltype(GridKernels::quantize) quantize = nullptr;
    void (*convert)(const ConvertKernels& kernels, const void* x, void* y, int64_t n) = nullptr;
    UnaryForm unary = nullptr;
    BinaryForms binary{};
  };

  /// Calls one of ConvertKernels, for any types.
  template <auto kKernel>
  static void conversion(const ConvertKernels& kernels, const void* x, void* y, int64_t n) {
    [=]<class X, class Y>(void (*convert)(const X*, Y*, int64_t)) {
      convert(static_cast<const X*>(x), static_cast<Y*>(y), n);
    }(kernels.*kKernel);
  }

  static const float* floats(const Operand& operand) { return static_cast<const float*>(operand.data); }

  void repeat_first(std::byte* y, int64_t n) const {
    if (element_bytes_.back() == 1) return void(std::fill_n(y, n, *y));
    if (element_bytes_.back() == 2)
      return void(std::fill_n(reinterpret_cast<uint16_t*>(y), n, *reinterpret_cast<uint16_t*>(y)));
    auto* floats = reinterpret_cast<float*>(y);
    std::fill_n(floats, n, *floats);
  }

  /// Computes a link. Returns whether the result is a scalar, too.
  bool run(const Link& link, const Operand* operands, void* to, int64_t n) const {
    const Operand& a = operands[link.first];
    auto* result = static_cast<float*>(to);
    if (link.second < 0) {
      const int64_t count = a.scalar ? 1 : n;
      if (link.dequantize)
        link.dequantize(a.data, result, count, link.alpha, link.beta);
      else if (link.convert)
        link.convert(converters_, a.data, to, count);
      else if (link.quantize)
        link.quantize(floats(a), to, count, link.alpha, link.beta);
      else
        link.unary(floats(a), result, count, link.alpha, link.beta);
      return a.scalar;
    }
    const Operand& b = operands[link.second];
    if (a.scalar && b.scalar) {
      link.binary.vector_vector(floats(a), floats(b), result, 1);
      return true;
    }
    const auto form = a.scalar   ? link.binary.scalar_vector
                      : b.scalar ? link.binary.vector_scalar
                                 : link.binary.vector_vector;
    form(floats(a), floats(b), result, n);
    return false;
  }

  int64_t inputs_;
  ConvertKernels converters_;
  std::vector<size_t> element_bytes_;  // of all operands
  std::vector<Link> links_;
};

bool is_byte(DType dtype) { return dtype == DType::kUint8 || dtype == DType::kInt8; }

/// The only input that is not a constant of one element, if it has bytes; else -1.
int only_byte_input(const CompileInput& in) {
  int found = -1;
  for (int k = 0; k < in.num_inputs(); ++k) {
    if (in.constant(k) && in.constant(k)->size() == 1) continue;
    if (found >= 0 || !is_byte(in.dtype(k))) return -1;
    found = k;
  }
  return found;
}

/// A kernel for chains from bytes to bytes: looks up the result for each byte in a table.
KernelPtr table_kernel(const CompileInput& in, int input, const BlockwiseChain& chain) {
  using Table = std::array<uint8_t, 256>;
  Table bytes, table;
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  std::array<Operand, kMostChainInputs> x;
  for (int k = 0; k < in.num_inputs(); ++k) {
    x[size_t(k)] = k == input ? Operand{bytes.data(), false} : Operand{in.constant(k)->raw(), true};
  }
  chain(x.data(), table.data(), std::ssize(table));
  const auto look_up = kernels_for<ByteRowKernels>(in.isa()).look_up;
  return elementwise(in, {{input, in.shape(input)}}, [table, look_up](const Operand* operand, void* y, int64_t n) {
    const auto* from = static_cast<const uint8_t*>(operand->data);
    auto* to = static_cast<uint8_t*>(y);
    if (operand->scalar) return void(std::fill_n(to, n, table[*from]));
    look_up(from, table.data(), to, n);
  });
}

/// A sum, difference or product of two inputs of bytes as bytes of the same type, which a kernel computes without
/// floats in memory.
struct PairChain {
  decltype(PairKernels::add) kernel;
  int64_t a, b;  ///< the inputs that are its operands
  BytePair pair;
};

std::optional<PairChain> pair_chain(const ElementwiseChain& chain, std::span<const DType> dtypes, Isa isa) {
  const auto& links = chain.links;
  if (chain.inputs != 2 || links.size() != 4 || links[0].op != kDequantizeLink || links[1].op != kDequantizeLink) {
    return std::nullopt;
  }
  const ElementwiseChain::Link &f = links[2], &y = links[3];
  const bool reads_both = f.first + f.second == 5 && f.first >= 2 && f.second >= 2 && y.first == 4;
  const bool one_type = dtypes[0] == dtypes[1] && dtypes[0] == dtypes[5];
  if (!reads_both || !one_type || (f.op != "Add" && f.op != "Sub" && f.op != "Mul")) return std::nullopt;
  const ElementwiseChain::Link &a = links[size_t(f.first - 2)], &b = links[size_t(f.second - 2)];
  const PairKernels& kernels = kernels_for<BytePairKernels>(isa).of(dtypes[0]);
  const float b_scale = f.op == "Sub" ? -b.alpha : b.alpha;
  return PairChain{
      f.op == "Mul" ? kernels.mul : kernels.add, a.first, b.first, {a.alpha, a.beta, b_scale, b.beta, y.alpha, y.beta}};
}

/// Elementwise, of the internal domain: a chain of element-wise operations, computed for a block of elements at a time,
/// so that intermediate values stay in the first-level cache. Inputs are broadcast to y.
/// - x: float32; uint8 and int8 if a link DequantizeLinear reads them, float16 and bfloat16 if a link Widen does
/// - y: the last link's dtype
/// - ops: names in the table of functions or in elementwise_chain.h
/// - first, second: their operands, i for input i, inputs + i for the result of link i, -1 for no second operand
/// - alpha, beta: their parameters, or scale and zero point
class Elementwise final : public Op {
 public:
  explicit Elementwise(const NodeSpec& node) : chain_(node, node.num_inputs) {
    if (node.num_inputs > kMostChainInputs) {
      throw Error(ErrorKind::kModel, str("at most ", kMostChainInputs, " inputs are supported, got ", node.num_inputs));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, int(chain_.inputs), int(chain_.inputs));
    std::vector<DType> dtypes;
    for (const Fact& fact : in) {
      require_dtype_in(fact, kTypes, "every input");
      dtypes.push_back(fact.dtype);
    }
    return {Fact(chain_.dtypes(dtypes).back(), broadcast_dims(in))};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  bool is_elementwise() const override { return true; }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<DType> dtypes;
    for (int k = 0; k < in.num_inputs(); ++k) dtypes.push_back(in.dtype(k));
    const std::vector<DType> types = chain_.dtypes(dtypes);
    BlockwiseChain blockwise(chain_, types, in.isa());
    const int bytes = is_byte(in.output_dtype(0)) ? only_byte_input(in) : -1;
    if (bytes >= 0) return table_kernel(in, bytes, blockwise);
    if (const HalfFunction function = half_function(chain_, types, in.isa())) {
      return elementwise(in, [function, blockwise](const Operand* x, void* y, int64_t n) {
        if (x[0].scalar) return blockwise(x, y, n);
        function(static_cast<const uint16_t*>(x[0].data), static_cast<uint16_t*>(y), n);
      });
    }
    const auto pair = pair_chain(chain_, types, in.isa());
    if (!pair) return elementwise(in, std::move(blockwise));
    return elementwise(in, [pair = *pair, blockwise](const Operand* x, void* y, int64_t n) {
      if (x[0].scalar || x[1].scalar) return blockwise(x, y, n);
      pair.kernel(x[pair.a].data, x[pair.b].data, y, n, pair.pair);
    });
  }

 private:
  static constexpr std::array kTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kUint8, DType::kInt8};

  ElementwiseChain chain_;
};

}  // namespace

LINNET_REGISTER(elementwise_op)(Registry& registry) {
  registry.add<Elementwise>("Elementwise", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet

#include <algorithm>
#include <array>
#include <map>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "math/einsum_equation.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "tensor/strided_copy.h"

namespace linnet {
namespace {

constexpr int kMaxOperands = 8;
using Offsets = std::array<int64_t, kMaxOperands>;

/// Nested loops, each with the step of every operand.
struct Loops {
  std::vector<int64_t> extents;
  std::vector<Offsets> steps;
  int64_t count = 1;

  void add(int64_t extent, const Offsets& step) {
    extents.push_back(extent);
    steps.push_back(step);
    count = checked_mul(count, extent);
  }

  /// The operands' offsets in iteration i.
  Offsets offsets(int64_t i) const {
    Offsets result{};
    for (size_t d = extents.size(); d-- > 0; i /= extents[d]) {
      for (size_t k = 0; k < result.size(); ++k) result[k] += i % extents[d] * steps[d][k];
    }
    return result;
  }
};

/// What is summed of each operand for one element of the output: over `loops`, and within over the last summed axis.
struct Summed {
  int operands;
  Loops loops;
  int64_t row;
  Offsets row_step;
};

using Operands = std::array<const void*, kMaxOperands>;

/// Floats are summed in double, integers wrap around.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T>
Sum<T> row_sum(const Summed& summed, const Operands& x, const Offsets& at, Checkpoints& checkpoints) {
  std::array<const T*, kMaxOperands> row{};
  for (size_t k = 0; k < size_t(summed.operands); ++k) row[k] = static_cast<const T*>(x[k]) + at[k];
  Sum<T> sum = 0;
  for (int64_t begin = 0; begin < summed.row; begin += Checkpoints::kWork) {
    const int64_t end = std::min(summed.row, begin + Checkpoints::kWork);
    for (int64_t i = begin; i < end; ++i) {
      Sum<T> product = 1;
      for (size_t k = 0; k < size_t(summed.operands); ++k) {
        product *= static_cast<Sum<T>>(row[k][i * summed.row_step[k]]);
      }
      sum += product;
    }
    checkpoints.add(checked_mul(end - begin, summed.operands));
  }
  return sum;
}

/// Element `i` of y: the sum of the products of all operands from `base` on.
template <class T>
void element(const Summed& summed, const Operands& x, const Offsets& base, void* y, int64_t i,
             Checkpoints& checkpoints) {
  Sum<T> sum = 0;
  for (int64_t j = 0; j < summed.loops.count && summed.row > 0; ++j) {
    Offsets at = summed.loops.offsets(j);
    for (size_t k = 0; k < at.size(); ++k) at[k] += base[k];
    sum += row_sum<T>(summed, x, at, checkpoints);
  }
  static_cast<T*>(y)[i] = static_cast<T>(sum);
}

class EinsumKernel final : public Kernel {
 public:
  using Element = decltype(element<float>)*;

  EinsumKernel(Element element, Loops outer, Summed summed)
      : element_(element), outer_(std::move(outer)), summed_(std::move(summed)) {}

  void run(KernelContext& context) const override {
    Operands x{};
    for (int k = 0; k < summed_.operands; ++k) x[size_t(k)] = context.input(k).raw();
    void* y = context.output(0).raw();
    const int64_t work = checked_mul(summed_.loops.count, summed_.row);
    parallel_items(context.executor(), outer_.count, work, [&](int64_t begin, int64_t end, int) {
      Checkpoints checkpoints;
      for (int64_t i = begin; i < end; ++i) element_(summed_, x, outer_.offsets(i), y, i, checkpoints);
    });
  }

 private:
  Element element_;
  Loops outer_;
  Summed summed_;
};

/// Einsum: the product of the operands' elements, each axis named by a letter, summed over the letters that the output
/// does not name. A letter that an operand repeats takes its diagonal; "..." stands for axes that are broadcast.
/// Inputs (at most 8), Output: one dtype, numbers. Without "->" the output has the letters that occur once, sorted.
/// Source: https://onnx.ai/onnx/operators/onnx__Einsum.html
class Einsum final : public Op {
 public:
  explicit Einsum(const NodeSpec& node) : equation_(node.attr<std::string>("equation")) {
    if (equation_.operands() > kMaxOperands) {
      throw Error(ErrorKind::kUnsupported, str("at most ", kMaxOperands, " operands, got ", equation_.operands()));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, equation_.operands(), equation_.operands());
    std::vector<int> ranks;
    for (const Fact& fact : in) {
      require_same_dtype(in[0], fact, "inputs");
      if (!fact.has_rank()) return {Fact(in[0].dtype, std::nullopt)};
      ranks.push_back(fact.rank());
    }
    const EinsumLabels labels = equation_.labels(ranks);
    const std::map<EinsumLabel, Dim> dims = label_dims(labels, in);
    Dims result;
    for (const EinsumLabel label : labels.output) result.push_back(dims.at(label));
    return {Fact(in[0].dtype, result)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> facts;
    std::vector<int> ranks;
    for (int k = 0; k < in.num_inputs(); ++k) {
      facts.push_back(in.fact(k));
      ranks.push_back(in.rank(k));
    }
    const EinsumLabels labels = equation_.labels(ranks);
    const std::map<EinsumLabel, Dim> dims = label_dims(labels, facts);
    Loops outer;
    for (const EinsumLabel label : labels.output) outer.add(dims.at(label).value(), steps(label, labels, in));
    Summed summed{.operands = in.num_inputs(), .loops = {}, .row = 1, .row_step = {}};
    for (const EinsumLabel label : labels.summed) {
      if (label != labels.summed.back()) summed.loops.add(dims.at(label).value(), steps(label, labels, in));
    }
    if (!labels.summed.empty()) {
      summed.row = dims.at(labels.summed.back()).value();
      summed.row_step = steps(labels.summed.back(), labels, in);
    }
    const auto element_of = dispatch_number(in.dtype(0), []<class T>() -> EinsumKernel::Element { return element<T>; });
    return std::make_unique<EinsumKernel>(element_of, std::move(outer), std::move(summed));
  }

 private:
  static std::map<EinsumLabel, Dim> label_dims(const EinsumLabels& labels, std::span<const Fact> in) {
    std::map<EinsumLabel, Dim> result;
    for (size_t k = 0; k < in.size(); ++k) {
      for (size_t d = 0; d < labels.operands[k].size(); ++d) {
        const Dim& dim = in[k].dim(int(d));
        const auto [entry, added] = result.emplace(labels.operands[k][d], dim);
        if (!added) entry->second = broadcast_dims(Dims{entry->second}, Dims{dim})->front();
      }
    }
    return result;
  }

  /// How far each operand goes when the label's coordinate grows by one; not at all along a dim of 1.
  static Offsets steps(EinsumLabel label, const EinsumLabels& labels, const CompileInput& in) {
    Offsets result{};
    for (int k = 0; k < in.num_inputs(); ++k) {
      const Shape x = in.shape(k);
      const std::vector<int64_t> strides = row_major_strides(x);
      for (int d = 0; d < x.rank(); ++d) {
        if (labels.operands[size_t(k)][size_t(d)] == label && x[d] != 1) result[size_t(k)] += strides[size_t(d)];
      }
    }
    return result;
  }

  EinsumEquation equation_;
};

}  // namespace

void register_einsum(Registry& registry) { registry.add<Einsum>("Einsum", {.since = 12}); }

}  // namespace linnet

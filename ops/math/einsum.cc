#include <algorithm>
#include <array>
#include <map>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "math/einsum_equation.h"
#include "op_list.h"
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

/// Floats are summed in double, integers wrap around.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

/// For each element of the output, the sum over the inner loops of the product of all operands.
template <class T>
class EinsumKernel final : public Kernel {
 public:
  EinsumKernel(int operands, Loops outer, Loops inner, int64_t row, const Offsets& row_step)
      : operands_(operands), outer_(std::move(outer)), inner_(std::move(inner)), row_(row), row_step_(row_step) {}

  void run(KernelContext& context) const override {
    std::array<const T*, kMaxOperands> x{};
    for (int k = 0; k < operands_; ++k) x[size_t(k)] = context.input(k).data<T>();
    T* y = context.output(0).data<T>();
    parallel_items(context.executor(), outer_.count, inner_.count * row_, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const Offsets base = outer_.offsets(i);
        Sum<T> sum = 0;
        for (int64_t j = 0; j < inner_.count && row_ > 0; ++j) sum += row_sum(x, base, inner_.offsets(j));
        y[i] = static_cast<T>(sum);
      }
    });
  }

 private:
  Sum<T> row_sum(std::array<const T*, kMaxOperands> x, const Offsets& base, const Offsets& inner) const {
    for (size_t k = 0; k < size_t(operands_); ++k) x[k] += base[k] + inner[k];
    Sum<T> sum = 0;
    for (int64_t i = 0; i < row_; ++i) {
      Sum<T> product = 1;
      for (size_t k = 0; k < size_t(operands_); ++k) product *= static_cast<Sum<T>>(x[k][i * row_step_[k]]);
      sum += product;
    }
    return sum;
  }

  int operands_;
  Loops outer_, inner_;
  int64_t row_;  ///< the last summed axis
  Offsets row_step_;
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
    Loops outer, inner;
    for (const EinsumLabel label : labels.output) outer.add(dims.at(label).value(), steps(label, labels, in));
    int64_t row = 1;
    Offsets row_step{};
    for (const EinsumLabel label : labels.summed) {
      if (label != labels.summed.back()) inner.add(dims.at(label).value(), steps(label, labels, in));
    }
    if (!labels.summed.empty()) {
      row = dims.at(labels.summed.back()).value();
      row_step = steps(labels.summed.back(), labels, in);
    }
    return dispatch_number(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<EinsumKernel<T>>(in.num_inputs(), outer, inner, row, row_step);
    });
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

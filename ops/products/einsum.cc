#include <algorithm>
#include <map>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "movement/strided_kernel.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "products/einsum_equation.h"
#include "registration.h"

namespace linnet {
namespace {

/// One number per operand.
using Offsets = std::vector<int64_t>;

/// Nested loops, each with the step of every operand.
struct Loops {
  std::vector<int64_t> extents;
  std::vector<Offsets> steps;
  int64_t count = 1;

  void add(int64_t extent, Offsets step) {
    extents.push_back(extent);
    steps.push_back(std::move(step));
    count = checked_mul(count, extent);
  }

  /// Adds the operands' offsets in iteration i.
  void advance(int64_t i, Offsets& offsets) const {
    for (size_t d = extents.size(); d-- > 0; i /= extents[d]) {
      for (size_t k = 0; k < offsets.size(); ++k) offsets[k] += i % extents[d] * steps[d][k];
    }
  }
};

/// For every element of the output (`outer`), a sum over `summed` and, innermost, over the last summed axis.
struct Summation {
  Loops outer, summed;
  int64_t row;
  Offsets row_step;
};

using Operands = std::vector<const void*>;

/// The type of sums: floats are summed in double, integers wrap.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

/// Returns the sum along one row of the products of all operands, from `at` on.
template <class T>
Sum<T> row_sum(const Summation& summation, const Operands& x, const Offsets& at, Checkpoints& checkpoints) {
  const int64_t operands = int64_t(x.size());
  Sum<T> sum = 0;
  for (int64_t begin = 0; begin < summation.row; begin += Checkpoints::kWork) {
    const int64_t end = std::min(summation.row, begin + Checkpoints::kWork);
    for (int64_t i = begin; i < end; ++i) {
      Sum<T> product = 1;
      for (size_t k = 0; k < x.size(); ++k) {
        product *= static_cast<Sum<T>>(static_cast<const T*>(x[k])[at[k] + i * summation.row_step[k]]);
      }
      sum += product;
    }
    checkpoints.add(checked_mul(end - begin, operands));
  }
  return sum;
}

/// Computes elements [begin, end) of y.
template <class T>
void elements(const Summation& summation, const Operands& x, void* y, int64_t begin, int64_t end) {
  Checkpoints checkpoints;
  Offsets at(x.size());
  for (int64_t i = begin; i < end; ++i) {
    Sum<T> sum = 0;
    for (int64_t j = 0; j < summation.summed.count && summation.row > 0; ++j) {
      std::ranges::fill(at, 0);
      summation.outer.advance(i, at);
      summation.summed.advance(j, at);
      sum += row_sum<T>(summation, x, at, checkpoints);
    }
    static_cast<T*>(y)[i] = static_cast<T>(sum);
  }
}

class EinsumKernel final : public Kernel {
 public:
  using Elements = decltype(elements<float>)*;

  EinsumKernel(Elements elements, Summation summation) : elements_(elements), summation_(std::move(summation)) {}

  void run(KernelContext& context) const override {
    Operands x;
    for (int k = 0; k < int(summation_.row_step.size()); ++k) x.push_back(context.input(k).raw());
    void* y = context.output(0).raw();
    const int64_t work = checked_mul(summation_.summed.count, summation_.row);
    parallel_items(context.executor(), summation_.outer.count, work,
                   [&](int64_t begin, int64_t end, int) { elements_(summation_, x, y, begin, end); });
  }

 private:
  Elements elements_;
  Summation summation_;
};

/// Einsum: the product of the operands' elements, with each axis named by a letter, summed over the letters that the
/// output does not contain. A letter that occurs twice in an operand selects its diagonal; "..." represents axes that
/// are broadcast. Without "->" the output has the letters that occur once, sorted.
/// Inputs, Output: one dtype, numbers.
/// Source: https://onnx.ai/onnx/operators/onnx__Einsum.html
class Einsum final : public Op {
 public:
  explicit Einsum(const NodeSpec& node) : equation_(node.attr<std::string>("equation")) {}

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

  // Every combination of the labels takes one multiplication fewer than there are operands.
  int64_t multiply_adds(const NodeValues& v) const override {
    std::vector<Fact> facts;
    std::vector<int> ranks;
    for (const Tensor* x : v.inputs) {
      facts.emplace_back(x->dtype(), x->shape());
      ranks.push_back(x->rank());
    }
    int64_t count = int64_t(v.inputs.size()) - 1;
    for (const auto& [label, dim] : label_dims(equation_.labels(ranks), facts)) count = checked_mul(count, dim.value());
    return count;
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
    if (in.num_inputs() == 1 && labels.summed.empty()) return copy(in, labels);
    Summation summation{.outer = {}, .summed = {}, .row = 1, .row_step = Offsets(facts.size())};
    for (const EinsumLabel label : labels.output) summation.outer.add(dims.at(label).value(), steps(label, labels, in));
    for (const EinsumLabel label : labels.summed) {
      if (label == labels.summed.back()) {
        summation.row = dims.at(label).value();
        summation.row_step = steps(label, labels, in);
      } else {
        summation.summed.add(dims.at(label).value(), steps(label, labels, in));
      }
    }
    const auto elements_of =
        dispatch_number(in.dtype(0), []<class T>() -> EinsumKernel::Elements { return elements<T>; });
    return std::make_unique<EinsumKernel>(elements_of, std::move(summation));
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

  /// Makes the kernel of an Einsum of one operand without a sum, which transposes and takes diagonals.
  static KernelPtr copy(const CompileInput& in, const EinsumLabels& labels) {
    const Shape y = in.output_shape(0);
    std::vector<int64_t> strides;
    for (const EinsumLabel label : labels.output) strides.push_back(steps(label, labels, in)[0]);
    return make_strided_kernel(StridedCopy(in.dtype(0), y.dims(), strides, row_major_strides(y)));
  }

  /// Returns how far each operand advances when the label's coordinate grows by one: 0 along a dim of 1.
  static Offsets steps(EinsumLabel label, const EinsumLabels& labels, const CompileInput& in) {
    Offsets result(size_t(in.num_inputs()));
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

LINNET_REGISTER(einsum)(Registry& registry) { registry.add<Einsum>("Einsum", {.since = 12}); }

}  // namespace linnet

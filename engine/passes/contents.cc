#include "passes/contents.h"

#include <algorithm>

#include "passes/evaluate.h"
#include "tensor/dim_range.h"
#include "tensor/dim_scope.h"

namespace linnet {
namespace {

using Contents = std::optional<Dims>;

/// The number of elements of a tensor whose contents are tracked; nullopt for all others.
std::optional<int64_t> small_size(const Fact& fact) {
  if (!is_followed(fact.dtype) || !fact.concrete()) return std::nullopt;
  int64_t size = 1;
  for (const Dim& dim : *fact.dims) {
    if (dim.value() < 0 || dim.value() > kMostContents) return std::nullopt;
    size = checked_mul(size, dim.value());
    if (size > kMostContents) return std::nullopt;
  }
  return size;
}

/// The elements of an input and its shape.
struct Operand {
  Dims elements;  ///< empty if nothing is known
  Shape shape;

  explicit Operand(const Fact& fact) {
    if (auto known = elements_of(fact)) {
      elements = std::move(*known);
      shape = fact.shape();
    }
  }

  /// The element at `index` of an output of shape y; unknown if this does not broadcast to y.
  Dim at(int64_t index, const Shape& y) const {
    if (elements.empty() || shape.rank() > y.rank()) return {};
    int64_t offset = 0, stride = 1;
    for (int own = shape.rank() - 1, d = y.rank() - 1; own >= 0; --own, --d) {
      if (shape[own] != 1 && shape[own] != y[d]) return {};
      if (shape[own] != 1) offset += checked_mul(index % y[d], stride);
      stride = checked_mul(stride, shape[own]);
      index /= y[d];
    }
    return elements[size_t(offset)];
  }
};

/// The elements of an element-wise operator's output.
Contents computed(const Op& op, std::span<const Fact> in, const Fact& out) {
  const std::vector<Operand> operands(in.begin(), in.end());
  if (std::ranges::all_of(operands, [](const Operand& x) { return x.elements.empty(); })) return std::nullopt;
  const Shape shape = out.shape();
  Dims result(size_t(*small_size(out))), inputs(in.size());
  for (int64_t i = 0; i < std::ssize(result); ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) inputs[k] = operands[k].at(i, shape);
    result[size_t(i)] = op.element(inputs);
  }
  return result;
}

/// Elements, and tensors of their indices, which a kernel moves instead of them.
class MovedElements {
 public:
  /// The inputs with indices in place of the elements that the node moves. nullopt if its kernel cannot run yet or no
  /// element is known.
  std::optional<std::vector<Fact>> indices(const Op& op, std::span<const Fact> in) {
    std::vector<Fact> result(in.begin(), in.end());
    for (size_t i = 0; i < in.size(); ++i) {
      if (!in[i].present()) continue;
      if (!op.moves(int(i))) {
        if (!in[i].constant) return std::nullopt;
      } else if (const auto size = small_size(in[i])) {
        result[i] = Fact(numbered(in[i], *size));
      } else {
        return std::nullopt;
      }
    }
    return is_known_ ? std::optional(std::move(result)) : std::nullopt;
  }

  /// The elements of an output, given its indices.
  Contents at(const Tensor& indices) const {
    if (indices.dtype() != DType::kInt64) return std::nullopt;
    Dims result;
    for (const int64_t index : indices.values<int64_t>()) {
      if (index < 0 || index >= std::ssize(elements_)) return std::nullopt;
      result.push_back(elements_[size_t(index)]);
    }
    return result;
  }

 private:
  /// The tensor with each element replaced by its index in elements_.
  Tensor numbered(const Fact& fact, int64_t size) {
    const auto known = elements_of(fact);
    is_known_ = is_known_ || known;
    Tensor result(DType::kInt64, fact.shape());
    for (int64_t i = 0; i < size; ++i) {
      result.data<int64_t>()[i] = std::ssize(elements_);
      elements_.push_back(known ? (*known)[size_t(i)] : Dim());
    }
    return result;
  }

  Dims elements_;
  bool is_known_ = false;
};

/// The outputs of a node that moves elements, computed by running its kernel on indices.
std::vector<Contents> moved(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                            const ModelResources& resources) {
  MovedElements elements;
  std::vector<Fact> facts;
  for (const Fact& fact : out) {
    if (fact.present() && !small_size(fact)) return {};
    facts.push_back(fact.present() ? Fact(DType::kInt64, fact.shape()) : Fact());
  }
  const auto indices = elements.indices(*node.op, in);
  std::vector<Contents> result(out.size());
  if (!indices || no_elements(facts)) return result;
  try {
    const std::vector<Tensor> values = run_once(node, *indices, facts, resources);
    for (size_t i = 0; i < result.size(); ++i) {
      if (facts[i].present()) result[i] = elements.at(values[i]);
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kCancelled) throw;
  }
  return result;
}

bool moves_any(const Op& op, size_t inputs) {
  for (size_t i = 0; i < inputs; ++i) {
    if (op.moves(int(i))) return op.deterministic();
  }
  return false;
}

std::vector<Contents> contents(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                               const ModelResources& resources) {
  const Op& op = *node.op;
  if (moves_any(op, in.size())) return moved(node, in, out, resources);
  if (!small_size(out[0])) return {};
  return with_node_context(node.spec, [&]() -> std::vector<Contents> {
    if (auto result = op.contents(in, out[0])) return {std::move(result)};
    return {op.is_elementwise() ? computed(op, in, out[0]) : std::nullopt};
  });
}

/// The range of a dtype's numbers; for int64, of those that a Dim can represent.
Interval numbers_of(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  return dtype == DType::kInt32 ? Interval{INT32_MIN, INT32_MAX} : Interval{-INT64_MAX, INT64_MAX};
}

/// Whether an element is in the range as long as no open dim is above kUsualSize.
bool is_usually_in(const Interval& numbers, const Dim& element) {
  const Interval range = range_of(element, {0, kUsualSize});
  const bool is_bounded = element.known() || (has_bound(range.low) && has_bound(range.high));
  return is_bounded && range.low >= numbers.low && range.high <= numbers.high;
}

/// The element as far as it is known if the dtype has only these numbers; outside of this range a run has others.
Dim within(DType dtype, const Dim& element) {
  const Interval numbers = numbers_of(dtype);
  if (!element.determined() || is_usually_in(numbers, element)) return element;
  DimScope* const scope = DimScope::current();
  if (element.known() || dtype == DType::kBool || !scope) return {};
  const bool is_checked = scope->require_at_least(element, numbers.low) &&
                          (dtype == DType::kInt64 || scope->require_at_least(numbers.high, element));
  return is_checked ? element : Dim();
}

Tensor tensor_of(DType dtype, const Shape& shape, const Dims& numbers) {
  Tensor result(dtype, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t number = numbers[size_t(i)].value();
    if (dtype == DType::kInt64) {
      result.data<int64_t>()[i] = number;
    } else if (dtype == DType::kInt32) {
      result.data<int32_t>()[i] = int32_t(number);
    } else {
      result.data<bool>()[i] = number != 0;
    }
  }
  return result;
}

}  // namespace

Fact with_contents(Fact fact, Dims elements) {
  for (Dim& element : elements) element = within(fact.dtype, element);
  if (std::ranges::all_of(elements, &Dim::known)) return Fact(tensor_of(fact.dtype, fact.shape(), elements));
  fact.contents =
      std::ranges::any_of(elements, &Dim::determined) ? std::make_shared<const Dims>(std::move(elements)) : nullptr;
  return fact;
}

void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out,
                    const ModelResources& resources) {
  for (Fact& fact : out) fact.contents = nullptr;  // copied from an input, if the output is otherwise like it
  const auto is_wanted = [](const Fact& fact) { return !fact.constant && small_size(fact); };
  if (std::ranges::none_of(out, is_wanted)) return;
  std::vector<Contents> found = contents(node, in, out, resources);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] && is_wanted(out[i]) && std::ssize(*found[i]) == *small_size(out[i])) {
      out[i] = with_contents(std::move(out[i]), std::move(*found[i]));
    }
  }
}

}  // namespace linnet

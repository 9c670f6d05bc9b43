#include "passes/contents.h"

#include <algorithm>
#include <numeric>

#include "passes/evaluate.h"

namespace linnet {
namespace {

std::optional<int64_t> count(const Fact& fact) {
  if (!fact.present() || fact.element || !fact.concrete()) return std::nullopt;
  const int64_t n = fact.shape().elements();
  return n <= kMostContents ? std::optional(n) : std::nullopt;
}

Dim truth(bool certain_true, bool certain_false) { return certain_true ? Dim(1) : certain_false ? Dim(0) : Dim(); }

Dim less(const Dim& a, const Dim& b) { return truth(certainly_at_least(b, a + 1), certainly_at_least(a, b)); }

Dim element(const std::string& op, std::span<const Dim> x) {
  const auto both = [&](auto f) { return f(x[0], x[1]); };
  if (op == "Add") return x[0] + x[1];
  if (op == "Sub") return x[0] - x[1];
  if (op == "Mul") return x[0] * x[1];
  if (op == "Neg") return Dim(0) - x[0];
  if (op == "Div") return x[0].lower_bound() >= 0 ? floor_div(x[0], x[1]) : Dim();
  if (op == "Mod") return x[0].lower_bound() >= 0 ? remainder(x[0], x[1]) : Dim();
  if (op == "Abs") return x[0].lower_bound() >= 0 ? x[0] : x[0].upper_bound() <= 0 ? Dim(0) - x[0] : max(x[0], Dim(0) - x[0]);
  if (op == "Min") return std::accumulate(x.begin() + 1, x.end(), x[0], [](const Dim& a, const Dim& b) { return min(a, b); });
  if (op == "Max") return std::accumulate(x.begin() + 1, x.end(), x[0], [](const Dim& a, const Dim& b) { return max(a, b); });
  if (op == "Equal") return truth(certainly_equal(x[0], x[1]), certainly_different(x[0], x[1]));
  if (op == "Less") return both(less);
  if (op == "Greater") return less(x[1], x[0]);
  if (op == "LessOrEqual") return less(x[0], x[1] + 1);
  if (op == "GreaterOrEqual") return less(x[1], x[0] + 1);
  if (op == "And") return truth(certainly_equal(x[0], 1) && certainly_equal(x[1], 1), certainly_equal(x[0], 0) || certainly_equal(x[1], 0));
  if (op == "Or") return truth(certainly_equal(x[0], 1) || certainly_equal(x[1], 1), certainly_equal(x[0], 0) && certainly_equal(x[1], 0));
  if (op == "Not") return Dim(1) - x[0];
  if (op == "Where") return x[0].known() ? (x[0].value() ? x[1] : x[2]) : certainly_equal(x[1], x[2]) ? x[1] : Dim();
  if (op == "Floor" || op == "Ceil" || op == "Identity") return x[0];
  return {};
}

/// Of broadcast elements.
std::optional<Dims> computed(const Node& node, std::span<const Fact> in, const Fact& out) {
  const auto n = count(out);
  if (!n) return std::nullopt;
  const Shape y = out.shape();
  std::vector<Dims> all;
  for (const Fact& fact : in) {
    const auto elements = elements_of(fact);
    if (!elements) return std::nullopt;
    all.push_back(*elements);
  }
  Dims result;
  for (int64_t i = 0; i < *n; ++i) {
    Dims x;
    for (size_t k = 0; k < in.size(); ++k) {
      const Shape shape = in[k].shape();
      int64_t at = 0, stride = 1, left = i;
      for (int d = y.rank() - 1; d >= 0; --d) {
        const int own = d - (y.rank() - shape.rank());
        if (own >= 0) {
          if (shape[own] != 1) at += left % y[d] * stride;
          stride *= shape[own];
        }
        left /= y[d];
      }
      x.push_back(all[k][size_t(at)]);
    }
    result.push_back(element(node.spec.op_type, x));
  }
  return result;
}

std::optional<Dims> reduced(const Node& node, std::span<const Fact> in) {
  const auto x = elements_of(in[0]);
  if (!x || in[0].rank() != 1) return std::nullopt;
  const std::string& op = node.spec.op_type;
  if (op == "CumSum") {
    if (node.spec.attr_or("exclusive", false) || node.spec.attr_or("reverse", false)) return std::nullopt;
    Dims sums;
    for (const Dim& dim : *x) sums.push_back(sums.empty() ? dim : sums.back() + dim);
    return sums;
  }
  if (x->empty()) return std::nullopt;
  Dim result = x->front();
  for (size_t i = 1; i < x->size(); ++i) {
    const Dim& next = (*x)[i];
    result = op == "ReduceProd" ? result * next : op == "ReduceSum" ? result + next
             : op == "ReduceMax" ? max(result, next) : min(result, next);
  }
  return Dims{result};
}

std::optional<Dims> moved(const Node& node, std::span<const Fact> in, const std::vector<Fact>& out,
                          const ModelResources& resources, size_t output) {
  std::vector<Fact> indices(in.begin(), in.end());
  Dims table;
  bool any = false;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].present()) continue;
    if (!node.op->moves(int(i))) {
      if (!in[i].constant) return std::nullopt;
      continue;
    }
    any = true;
    const auto elements = elements_of(in[i]);
    if (!elements) return std::nullopt;
    Tensor numbers(DType::kInt64, in[i].shape());
    for (size_t e = 0; e < elements->size(); ++e) {
      numbers.data<int64_t>()[e] = int64_t(table.size());
      table.push_back((*elements)[e]);
    }
    indices[i] = Fact(numbers);
  }
  if (!any) return std::nullopt;
  if (table.size() > 4 * kMostContents) return std::nullopt;
  const std::vector<Fact> facts = infer_node(node, indices);
  for (const Fact& fact : facts) if (fact.present() && !fact.concrete()) return std::nullopt;
  const auto values = no_elements(facts) ? std::nullopt : std::optional(run_once(node, indices, facts, resources));
  if (!values) return std::nullopt;
  const Tensor& y = (*values)[output];
  Dims result;
  for (int64_t i = 0; i < y.size(); ++i) result.push_back(table[size_t(y.data<int64_t>()[i])]);
  (void)out;
  return result;
}

std::optional<Dims> contents(const Node& node, std::span<const Fact> in, const std::vector<Fact>& out,
                             const ModelResources& resources, size_t output) {
  const std::string& op = node.spec.op_type;
  if (!node.spec.domain.empty() && node.spec.domain != "ai.onnx") return std::nullopt;
  if (op == "Shape" && in[0].has_rank()) {
    const int64_t rank = in[0].rank();
    const auto bound = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const int64_t begin = bound(node.spec.attr_or("start", int64_t{0}));
    const int64_t end = bound(node.spec.attr_or("end", rank));
    Dims dims;
    for (int64_t i = begin; i < end; ++i) dims.push_back(in[0].dim(int(i)));
    return dims;
  }
  if (op == "Size" && in[0].has_rank()) {
    Dim size = 1;
    for (const Dim& dim : *in[0].dims) size *= dim;
    return Dims{size};
  }
  if (op == "Cast") {
    const bool to_bool = out[0].dtype == DType::kBool && in[0].dtype != DType::kBool;
    if (to_bool || !is_followed(in[0].dtype)) return std::nullopt;
    return elements_of(in[0]);
  }
  if (op == "Range") {
    const auto n = count(out[0]);
    const auto first = elements_of(in[0]), step = elements_of(in[2]);
    if (!n || !first || !step) return std::nullopt;
    Dims result;
    for (int64_t i = 0; i < *n; ++i) result.push_back(first->front() + step->front() * Dim(i));
    return result;
  }
  if (op == "ReduceProd" || op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin" || op == "CumSum") {
    return reduced(node, in);
  }
  const bool any_moves = [&] {
    for (size_t i = 0; i < in.size(); ++i) if (node.op->moves(int(i))) return true;
    return false;
  }();
  if (any_moves && op != "Where") return moved(node, in, out, resources, output);
  return computed(node, in, out[output]);
}

}  // namespace

void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out,
                    const ModelResources& resources) {
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].present() || out[i].constant || !is_followed(out[i].dtype)) continue;
    const auto n = count(out[i]);
    if (!n) continue;
    auto result = contents(node, in, out, resources, i);
    if (!result || int64_t(result->size()) != *n) continue;
    if (std::none_of(result->begin(), result->end(), [](const Dim& d) { return d.determined(); })) continue;
    if (*n > 0 && std::all_of(result->begin(), result->end(), [](const Dim& d) { return d.known(); })) {
      Tensor value(out[i].dtype, out[i].shape());
      for (int64_t e = 0; e < *n; ++e) {
        const int64_t number = (*result)[size_t(e)].value();
        if (value.dtype() == DType::kInt64) value.data<int64_t>()[e] = number;
        else if (value.dtype() == DType::kInt32) value.data<int32_t>()[e] = int32_t(number);
        else value.data<bool>()[e] = number != 0;
      }
      out[i] = Fact(value);
      continue;
    }
    out[i].contents = std::make_shared<const Dims>(std::move(*result));
  }
}

}  // namespace linnet

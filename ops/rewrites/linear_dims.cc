#include "rewrites/linear_dims.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "graph/rewrite.h"
#include "infer/infer.h"
#include "rewrites/matching/broadcasting.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// Each output dim is one of an input, a sum of such, or a number that does not change. What they read as values does
// not change either.
constexpr std::string_view kKeepDims[] = {
    "Attention",  "Concat",     "CumSum",     "Gather",           "GatherElements",     "GatherND",
    "Gemm",       "LogSoftmax", "MatMul",     "RMSNormalization", "LayerNormalization", "ReduceMax",
    "ReduceMean", "ReduceMin",  "ReduceProd", "ReduceSum",        "RotaryEmbedding",    "ScatterElements",
    "ScatterND",  "Shape",      "Softmax",    "Squeeze",          "TensorScatter",      "Tile",
    "Transpose",  "Trilu",      "Unsqueeze"};
constexpr std::string_view kKeepDimsInside[] = {"Attention", "CachePositions", "GatherColumns", "MatMul",
                                                "RotaryEmbedding"};
constexpr std::string_view kKeepDimsOfMicrosoft[] = {"GatherBlockQuantized", "MatMulNBits"};

constexpr size_t kPadAxes = 3;  // input

// They move integers or add them up.
constexpr std::string_view kMoveIntegers[] = {"Add",     "Cast",  "Concat", "Expand",  "Gather", "Identity", "Neg",
                                              "Reshape", "Shape", "Slice",  "Squeeze", "Sub",    "Unsqueeze"};

template <size_t N>
bool listed(const std::string_view (&names)[N], const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

/// A number that grows linearly: what it is in `a` and in `b`.
struct Line {
  int64_t a, b;

  bool changes() const { return a != b; }
  int64_t slope() const { return b - a; }
  /// Whether it is at most `other` for this and all larger sizes.
  bool stays_within(const Line& other) const { return a <= other.a && b - a <= other.b - other.a; }
  bool stays_below(const Line& other) const { return a < other.a && stays_within(other); }
  /// For how many sizes from a on it is at most `other`.
  int64_t sizes_within(const Line& other) const {
    if (stays_within(other)) return kAllSizes;
    return a <= other.a ? (other.a - a) / (slope() - other.slope()) : 0;
  }
};

class LinearDims {
 public:
  LinearDims(const Graph& graph, const Graph& a, const Graph& b)
      : graph_(graph), a_(a), b_(b), contents_(size_t(graph.value_count()), Contents::kLinear) {
    for (const ValueId v : graph.inputs()) contents_[size_t(v)] = Contents::kNone;
  }

  int64_t sizes() {
    const bool linear =
        std::all_of(graph_.nodes().begin(), graph_.nodes().end(), [&](NodeId id) { return add(graph_.node(id)); });
    return linear ? sizes_ : 0;
  }

 private:
  /// What is known of a value besides its dims.
  enum class Contents {
    kNone,    ///< nothing, whatever the size
    kLinear,  ///< integers that grow linearly, or anything that does not change
    kOther
  };

  Contents contents(ValueId v) const { return v == kNoValue ? Contents::kLinear : contents_[size_t(v)]; }

  bool dims_change(ValueId v) const { return v != kNoValue && !certainly_equal(*a_.fact(v).dims, *b_.fact(v).dims); }

  bool contents_change(ValueId v) const {
    if (contents(v) == Contents::kOther) return true;
    const Tensor &a = a_.fact(v).constant, &b = b_.fact(v).constant;
    return v != kNoValue && a && b && !identical(a, b);
  }

  bool changes(ValueId v) const { return dims_change(v) || contents_change(v); }

  bool add(const Node& node) {
    const auto is_known = [](const Fact& fact) { return fact.concrete() && !is_container(fact.dtype); };
    for (const ValueId v : node.outputs) {
      if (v != kNoValue && !(is_known(a_.fact(v)) && is_known(b_.fact(v)))) return false;
    }
    const bool same = std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return changes(v); });
    if (!same && !(dims_are_linear(node) && outputs_grow(node))) return false;
    for (const ValueId v : node.outputs) {
      if (v != kNoValue) contents_[size_t(v)] = contents_of(node, v, same);
    }
    return true;
  }

  Contents contents_of(const Node& node, ValueId v, bool same) const {
    const bool in_a = bool(a_.fact(v).constant), in_b = bool(b_.fact(v).constant);
    if (!in_a && !in_b) return Contents::kNone;
    return in_a && in_b && (same || contents_are_linear(node)) ? Contents::kLinear : Contents::kOther;
  }

  /// Dims that could become zero are not followed further.
  bool outputs_grow(const Node& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) {
      const int rank = v == kNoValue ? 0 : a_.fact(v).rank();
      for (int d = 0; d < rank; ++d) {
        const Line dim = dim_of(v, d);
        if (dim.changes() && (dim.a < 1 || dim.b < dim.a)) return false;
      }
      return true;
    });
  }

  Line dim_of(ValueId v, int d) const { return {a_.fact(v).dim(d).value(), b_.fact(v).dim(d).value()}; }

  int changing_dims(ValueId v) const {
    int count = 0;
    for (int d = 0; d < a_.fact(v).rank(); ++d) count += dim_of(v, d).changes();
    return count;
  }

  bool dims_are_linear(const Node& node) {
    bool same_values = true;
    for (const int i : node.op->value_inputs()) {
      const ValueId v = optional_input(node, size_t(i));
      if (contents(v) != Contents::kLinear) return false;
      same_values &= !contents_change(v);
    }
    if (broadcasts(node)) return true;
    if (node.spec.domain == kInternalDomain) return same_values && listed(kKeepDimsInside, node.spec.op_type);
    if (node.spec.domain == kMicrosoft) return same_values && listed(kKeepDimsOfMicrosoft, node.spec.op_type);
    if (!node.spec.domain.empty()) return false;
    if (is_op(node, "Split")) return same_values && keeps_axis(node);
    if (is_op(node, "Pad")) return !contents_change(optional_input(node, kPadAxes));
    if (listed(kKeepDims, node.spec.op_type)) return same_values;
    if (is_op(node, "Expand") || is_op(node, "ConstantOfShape")) return true;
    if (is_op(node, "Reshape") || is_op(node, "Flatten")) {
      return changing_dims(node.inputs[0]) <= 1 && changing_dims(node.outputs[0]) <= 1;
    }
    if (is_op(node, "Range")) return is_one(node.inputs[2]);
    return is_op(node, "Slice") && slices_linearly(node);
  }

  /// Whether what is divided does not change.
  bool keeps_axis(const Node& node) const {
    const int axis = normalize_axis(node.spec.attr_or("axis", 0), a_.fact(node.inputs[0]).rank());
    return !dim_of(node.inputs[0], axis).changes();
  }

  bool is_one(ValueId v) const {
    const auto number = numbers(v);
    return number && number->size() == 1 && (*number)[0].a == 1 && (*number)[0].b == 1;
  }

  bool is_integer(ValueId v) const {
    if (v == kNoValue) return true;
    const DType dtype = a_.fact(v).dtype;
    return dtype == DType::kInt64 || dtype == DType::kInt32;
  }

  /// The integers that a value is.
  std::optional<std::vector<Line>> numbers(ValueId v) const {
    if (!is_integer(v)) return std::nullopt;
    const auto a = constant_ints(a_.fact(v)), b = constant_ints(b_.fact(v));
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    std::vector<Line> lines;
    for (size_t i = 0; i < a->size(); ++i) lines.push_back({(*a)[i], (*b)[i]});
    return lines;
  }

  /// Slice(data, starts, ends, axes, steps), where no bound is moved to the end of the data for some sizes, and others
  /// always are.
  bool slices_linearly(const Node& node) {
    if (node.inputs.size() < 3) return false;  // before opset 10 bounds are attributes
    const auto starts = numbers(node.inputs[1]), ends = numbers(node.inputs[2]);
    const ValueId axes_input = optional_input(node, 3), steps_input = optional_input(node, 4);
    const auto axes = axes_input == kNoValue ? starts : numbers(axes_input);
    const auto steps = steps_input == kNoValue ? starts : numbers(steps_input);
    if (!starts || !ends || !axes || !steps || ends->size() != starts->size() || axes->size() != starts->size() ||
        steps->size() != starts->size()) {
      return false;
    }
    const int rank = a_.fact(node.inputs[0]).rank();
    for (size_t i = 0; i < starts->size(); ++i) {
      const int64_t axis = axes_input == kNoValue ? int64_t(i) : (*axes)[i].a;
      const Line dim = dim_of(node.inputs[0], int(axis < 0 ? axis + rank : axis));
      if (!dim.changes() && !(*starts)[i].changes() && !(*ends)[i].changes()) continue;
      if (steps_input != kNoValue && ((*steps)[i].a != 1 || (*steps)[i].b != 1)) return false;
      if (!stays_inside((*starts)[i], dim) || !(is_open_end((*ends)[i]) || stays_inside((*ends)[i], dim))) return false;
    }
    return true;
  }

  static bool is_open_end(const Line& end) { return !end.changes() && end.a >= std::numeric_limits<int32_t>::max(); }

  /// Of a bound that counts from the front, or from the end and does not change.
  bool stays_inside(const Line& bound, const Line& dim) {
    if (bound.a < 0) return !bound.changes() && Line{-bound.a, -bound.a}.stays_within(dim);
    sizes_ = std::min(sizes_, bound.sizes_within(dim));
    return bound.b >= bound.a && sizes_ > 0;
  }

  /// A maximum of two numbers of which one stays the larger.
  bool takes_the_same(const Node& node) const {
    if (!is_op(node, "Max") || node.inputs.size() != 2) return false;
    const auto x = numbers(node.inputs[0]), y = numbers(node.inputs[1]);
    if (!x || !y || x->size() != 1 || y->size() != 1) return false;
    return (*x)[0].stays_within((*y)[0]) || (*y)[0].stays_within((*x)[0]);
  }

  /// Numbers of which each pair stays unequal or does not change.
  bool compares_the_same(const Node& node) const {
    const auto x = numbers(node.inputs[0]), y = numbers(node.inputs[1]);
    if (!x || !y || x->size() != y->size()) return false;
    for (size_t i = 0; i < x->size(); ++i) {
      const Line &p = (*x)[i], &q = (*y)[i];
      if ((p.changes() || q.changes()) && !p.stays_below(q) && !q.stays_below(p)) return false;
    }
    return contents(node.inputs[0]) == Contents::kLinear && contents(node.inputs[1]) == Contents::kLinear;
  }

  /// Where(condition, x, y) of a condition that does not change.
  bool chooses_the_same(const Node& node) const {
    return contents(node.inputs[0]) == Contents::kLinear && !changes(node.inputs[0]) &&
           are_linear_integers(std::span(node.inputs).subspan(1));
  }

  bool are_linear_integers(std::span<const ValueId> values) const {
    return std::all_of(values.begin(), values.end(),
                       [&](ValueId v) { return is_integer(v) && contents(v) == Contents::kLinear && !dims_change(v); });
  }

  bool contents_are_linear(const Node& node) const {
    if (is_op(node, "Equal")) return compares_the_same(node);
    if (is_op(node, "Where")) return chooses_the_same(node);
    const bool product = is_op(node, "Mul") && !(changes(node.inputs[0]) && changes(node.inputs[1]));
    const bool moves = node.spec.domain.empty() && listed(kMoveIntegers, node.spec.op_type);
    if (!product && !moves && !takes_the_same(node)) return false;
    if (is_op(node, "Shape")) return true;
    const bool moved_as_before =
        std::none_of(node.inputs.begin() + 1, node.inputs.end(), [&](ValueId v) { return changes(v); });
    if ((is_op(node, "Gather") || is_op(node, "Slice") || is_op(node, "Expand")) && !moved_as_before) return false;
    return is_integer(node.outputs[0]) && are_linear_integers(node.inputs);
  }

  const Graph &graph_, &a_, &b_;
  std::vector<Contents> contents_;  // by value
  int64_t sizes_ = kAllSizes;
};

}  // namespace

int64_t linear_dims(const Graph& graph, const Graph& a, const Graph& b) { return LinearDims(graph, a, b).sizes(); }

}  // namespace linnet

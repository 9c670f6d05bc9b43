#include "plan/shape_class.h"

#include <algorithm>

#include "passes/passes.h"
#include "plan/specialize.h"
#include "tensor/dim_range.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr int64_t kValueBytes = 160;  // of what a value allocates: its dims and readers

/// The symbol, assumed to be at least 2, because other rules apply to 0 and 1.
Dim assumed_large(const Dim& symbol) {
  const Atom& atom = **Polynomial::atom_of(symbol);
  Bounds bounds = atom.bounds;
  bounds.assumed.low = std::max<int64_t>(bounds.assumed.low, 2);
  return bounded_symbol(atom, bounds);
}

/// Loads weights from which each bound graph computes something, such as a table of positions of which it takes as many
/// rows as there are.
void read_tables(const Graph& graph) {
  std::vector<bool> by_sizes(size_t(graph.value_count()), false);
  const auto known = [&](ValueId v) {
    return v == kNoValue || graph.fact(v).constant || graph.fact(v).contents || by_sizes[size_t(v)];
  };
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (!node.op->deterministic() || !std::ranges::all_of(node.inputs, known)) continue;
    for (const ValueId v : node.inputs) {
      if (v != kNoValue && graph.fact(v).constant) static_cast<void>(graph.fact(v).constant.raw());
    }
    for (const ValueId v : node.outputs) {
      if (v != kNoValue) by_sizes[size_t(v)] = true;
    }
  }
}

/// Whether an error may be caused by the sizes that a class assumes.
bool is_about_sizes(ErrorKind kind) {
  return kind == ErrorKind::kShape || kind == ErrorKind::kModel || kind == ErrorKind::kType ||
         kind == ErrorKind::kUnsupported;
}

}  // namespace

ShapeClass::ShapeClass(const Graph& program, const OpenDims& open, const Fixed& fixed, const ModelResources& resources)
    : open_(open), fixed_(fixed), graph_(program), to_bind_(program.registry()) {
  DimSubstitution dims;
  Dims symbols;
  for (size_t i = 0; i < open.count(); ++i) {
    const auto number = fixed.find(i);
    dims.add(open.symbol(i), number == fixed.end() ? assumed_large(open.symbol(i)) : Dim(number->second));
    if (number == fixed.end()) symbols.push_back(open.symbol(i));
  }
  substitute_dims(graph_, dims);
  DimScope scope(symbols);
  try {
    optimize(graph_, resources);
    graph_ = graph_.compacted();
    share_constants(graph_, constants_of(program), resources);
    read_tables(graph_);
  } catch (const Error& error) {
    if (!is_about_sizes(error.kind())) throw;
    graph_ = program;
    is_refused_ = true;
  }
  constants_ = constants_of(graph_);
  for (size_t i = 0; i < open.count(); ++i) {
    if (scope.is_assumed(open.symbol(i))) assumed_.insert(i);
  }
  conditions_ = scope.conditions();
  elements_.emplace(to_bind_ = graph_, open);
  for (const Graph* graph : {&graph_, &to_bind_}) {
    counted_.add(size_t(checked_mul(graph->value_count(), sizeof(Value) + sizeof(std::vector<NodeId>) + kValueBytes)));
  }
}

bool ShapeClass::meets_conditions(const std::vector<PlanInput>& inputs) const {
  if (is_refused_) return false;
  const std::vector<int64_t> sizes = open_.sizes(inputs);
  if (std::ranges::any_of(sizes, [](int64_t size) { return size > kUsualSize; })) return false;
  const DimSubstitution numbers = open_.numbers(sizes);
  return std::ranges::all_of(conditions_, [&](const DimScope::Lesson& condition) {
    const Dim a = numbers(condition.a), b = numbers(condition.b);
    return condition.equal ? certainly_equal(a, b) : certainly_at_least(a, b);
  });
}

std::optional<Graph> ShapeClass::bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) const {
  if (!meets_conditions(inputs)) return std::nullopt;
  Graph graph = to_bind_;
  if (!elements_->set(graph, open_.numbers(open_.sizes(inputs)))) return std::nullopt;
  graph = specialized(std::move(graph), inputs, resources);
  const bool has_grown = graph.value_count() > to_bind_.value_count() / 4 * 5;
  if (has_grown) graph = graph.compacted();
  graph.shrink_to_fit();
  share_constants(graph, constants_, resources);
  return graph;
}

std::shared_ptr<const Plan> ShapeClass::latest_plan() const {
  const std::lock_guard lock(mutex_);
  return latest_plan_.lock();
}

void ShapeClass::set_latest_plan(const std::shared_ptr<const Plan>& plan) {
  const std::lock_guard lock(mutex_);
  latest_plan_ = plan;
}

}  // namespace linnet

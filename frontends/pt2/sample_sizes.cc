#include "sample_sizes.h"

#include <algorithm>
#include <set>

#include "linnet/error.h"

namespace linnet::pt2 {
namespace {

constexpr int64_t kStep = 24;
// The distance between the two values of a symbol. Networks divide sizes by 32 and more; the quotients must differ,
// too.
constexpr int64_t kStepsApart = 64;

void add_symbols(const SymExpr& expression, std::set<std::string>& symbols) {
  if (expression.is_symbol()) symbols.insert(expression.name());
  if (!expression.is_call()) return;
  for (const SymExpr& argument : expression.arguments()) add_symbols(argument, symbols);
}

void add_symbols(const Argument& argument, std::set<std::string>& symbols);

void add_symbols(const Graph& graph, std::set<std::string>& symbols) {
  for (const auto& [name, meta] : graph.tensor_values) {
    for (const SymExpr& size : meta.sizes) add_symbols(size, symbols);
  }
  for (const auto& [name, expression] : graph.sym_int_values) add_symbols(expression, symbols);
  for (const Node& node : graph.nodes) {
    for (const NamedArgument& input : node.inputs) add_symbols(input.argument, symbols);
  }
}

void add_symbols(const Argument& argument, std::set<std::string>& symbols) {
  if (const auto* body = argument.get<GraphArgument>()) add_symbols(*body->graph, symbols);
}

int64_t least_of(const Range& range) { return std::max<int64_t>(range.min.value_or(0), 0); }
int64_t most_of(const Range& range) { return range.max.value_or(INT64_MAX); }

/// Returns the first multiple of kStep in the range, or after it.
int64_t first_multiple(const Range& range) {
  return (std::max<int64_t>(least_of(range), 2) + kStep - 1) / kStep * kStep;
}

/// Returns the `rank`-th multiple of kStep in the range, or its `rank`-th number if there are too few multiples.
int64_t chosen(const Range& range, int64_t rank) {
  const int64_t low = least_of(range), high = most_of(range), first = first_multiple(range);
  if (first <= high && rank <= (high - first) / kStep) return first + rank * kStep;
  const int64_t usual = std::min(std::max<int64_t>(low, 2), high);  // 0 and 1 are broadcast
  return high - usual >= 1 ? usual + rank % (high - usual + 1) : low + rank % (high - low + 1);
}

/// Returns a rank far from the given one, as far as the range allows.
int64_t far_rank(const Range& range, int64_t rank) {
  const int64_t most = (most_of(range) - first_multiple(range)) / kStep;
  return std::max(rank, std::min(rank + kStepsApart, most));
}

}  // namespace

std::vector<SampleSizes> sample_sizes(const Program& program) {
  std::set<std::string> symbols;
  add_symbols(program.graph, symbols);
  std::vector<SampleSizes> samples(symbols.empty() ? 1 : 2);
  int64_t rank = 1;
  for (const std::string& symbol : symbols) {
    const auto range = program.range_constraints.find(symbol);
    const Range bounds = range == program.range_constraints.end() ? Range() : range->second;
    samples[0][symbol] = chosen(bounds, rank);
    samples[1][symbol] = chosen(bounds, far_rank(bounds, rank + 1));
    rank += 2;
    if (samples[0][symbol] == samples[1][symbol]) {
      throw Error(ErrorKind::kUnsupported, str("the size ", symbol, " can be ", samples[0][symbol],
                                               " only: export the program with this number instead of a symbol"));
    }
  }
  return samples;
}

}  // namespace linnet::pt2

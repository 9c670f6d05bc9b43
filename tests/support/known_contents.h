#pragma once

#include <memory>
#include <string>
#include <vector>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

// Facts with known elements, and the inferred elements of a node's outputs.
namespace linnet::testing {

inline const Dim kN("N"), kM("M");

inline Fact with_contents(DType dtype, const Shape& shape, const Dims& elements) {
  Fact fact(dtype, shape);
  fact.contents = std::make_shared<const Dims>(elements);
  return fact;
}

inline Fact vector_of(const Dims& elements, DType dtype = DType::kInt64) {
  return with_contents(dtype, Shape{std::ssize(elements)}, elements);
}

inline Graph propagated(const GraphBuilder& b) {
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  return graph;
}

inline std::vector<Fact> facts_of(const OpCase& op, const std::vector<Fact>& inputs, int outputs = 1,
                                  Registry registry = standard_registry()) {
  GraphBuilder b(op.opset, std::move(registry));
  std::vector<ValueId> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values.push_back(!inputs[i].present() ? kNoValue
                     : inputs[i].constant ? b.constant(inputs[i].constant)
                                          : b.input(str("x", i), inputs[i]));
  }
  const std::vector<ValueId> results = b.ops(op.op_type, values, outputs, op.attributes, op.domain);
  const Graph graph = propagated(b);
  std::vector<Fact> facts;
  for (const ValueId v : results) facts.push_back(graph.fact(v));
  return facts;
}

/// Returns a text such as "N+1 3 ?", or "" if nothing is known.
inline std::string known(const Fact& fact) {
  std::string text;
  for (const Dim& dim : elements_of(fact).value_or(Dims())) text += (text.empty() ? "" : " ") + str(dim);
  return text;
}

inline std::string known(const OpCase& op, const std::vector<Fact>& inputs) { return known(facts_of(op, inputs)[0]); }

inline Fact ints(const std::vector<int64_t>& numbers) { return Fact(Tensor::of(numbers)); }

}  // namespace linnet::testing

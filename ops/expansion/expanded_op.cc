#include "expansion/expanded_op.h"

#include "compile/compile_input.h"
#include "controlflow/program_kernel.h"

namespace linnet {

std::shared_ptr<const Registry> StandardOperators::get() {
  std::call_once(once_, [&] { registry_ = std::make_shared<const Registry>(standard_registry()); });
  return registry_;
}

std::vector<Fact> ExpandedOp::infer(std::span<const Fact> in) const {
  Expansion graph = begin(in, false);
  std::vector<Fact> facts;
  for (const ValueId output : expand(graph)) facts.push_back(graph.fact(output));
  return facts;
}

std::optional<Graph> ExpandedOp::expansion(std::span<const Fact> in) const {
  Expansion graph = begin(in, false);
  const std::vector<ValueId> outputs = expand(graph);
  return graph.waits() ? std::nullopt : std::optional(graph.finish(outputs));
}

KernelPtr ExpandedOp::compile(const CompileInput& in) const {
  std::vector<Fact> facts;
  std::vector<int> inputs, outputs;
  for (int i = 0; i < in.num_inputs(); ++i) {
    facts.push_back(in.fact(i));
    if (in.has(i) && !in.constant(i)) inputs.push_back(i);
  }
  Expansion graph = begin(facts, true);
  std::vector<ValueId> wanted;
  for (const ValueId output : expand(graph)) {
    const int i = int(outputs.size());
    if (in.has_output(i)) wanted.push_back(output);
    outputs.push_back(i);
  }
  std::erase_if(outputs, [&](int i) { return !in.has_output(i); });
  auto program = std::make_shared<Program>(graph.finish(wanted), model_resources(in).shared_from_this());
  return make_program_kernel(std::move(program), std::move(inputs), std::move(outputs));
}

}  // namespace linnet

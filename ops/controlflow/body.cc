#include "controlflow/body.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "infer/infer.h"
#include "passes/passes.h"
#include "tensor/dim_scope.h"

namespace linnet {
namespace {

void require_single(const Tensor& tensor, const char* what) {
  if (tensor.size() != 1) throw Error(ErrorKind::kShape, str(what, " must hold one element, got ", describe(tensor)));
}

}  // namespace

std::vector<Fact> body_facts(const Graph& body, std::span<const Fact> inputs) {
  require_body(body, inputs.size(), body.outputs().size(), "body");
  const auto resources = std::make_shared<ModelResources>();
  Graph graph = body;
  for (size_t i = 0; i < inputs.size(); ++i) graph.set_fact(graph.inputs()[i], inputs[i]);
  const DimScope::NoLessons not_of_each_run;
  propagate_facts(graph, *resources);
  std::vector<Fact> outputs;
  for (const Graph::Output& output : graph.outputs()) outputs.push_back(graph.fact(output.value));
  return outputs;
}

int loop_depth(const Graph& body) {
  int depth = 0;
  for (const NodeId id : body.nodes()) {
    const NodeSpec& spec = body.node(id).spec;
    for (const auto& [name, attribute] : spec.attributes) {
      const auto* inner = std::get_if<GraphPtr>(&attribute);
      if (inner) depth = std::max(depth, loop_depth(**inner) + int(spec.op_type == "Loop"));
    }
  }
  return depth;
}

void require_body(const Graph& body, size_t inputs, size_t outputs, const char* name) {
  if (body.inputs().size() != inputs || body.outputs().size() != outputs) {
    throw Error(ErrorKind::kModel, str(name, " must have ", inputs, " inputs and ", outputs, " outputs, has ",
                                       body.inputs().size(), " and ", body.outputs().size()));
  }
}

void require_state_dtypes(std::span<const Fact> states, std::span<const Fact> outputs) {
  for (const Fact& output : outputs) {
    if (is_container(output.dtype)) throw Error(ErrorKind::kType, str("the body must give tensors, gives ", output));
  }
  for (size_t i = 0; i < states.size(); ++i) {
    require_same_dtype(states[i], outputs[i], str("state ", i, " and what the body makes of it"));
  }
}

Shape shape_or_zero(const Fact& fact) {
  Shape shape;
  if (fact.dims) {
    for (const Dim& dim : *fact.dims) shape.push_back(dim.known() ? dim.value() : 0);
  }
  return shape;
}

std::shared_ptr<Program> body_program(const GraphPtr& body, const CompileInput& in) {
  return std::make_shared<Program>(*body, model_resources(in).shared_from_this());
}

bool single_bool(const Tensor& tensor, const char* what) {
  require_single(tensor, what);
  return *tensor.data<bool>();
}

int64_t single_int(const Tensor& tensor, const char* what) {
  require_single(tensor, what);
  return *tensor.data<int64_t>();
}

}  // namespace linnet

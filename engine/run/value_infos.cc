#include "run/value_infos.h"

namespace linnet {

std::vector<ValueInfo> input_infos(const Program& program, size_t begin, size_t end) {
  const Graph& graph = program.graph();
  std::vector<ValueInfo> infos;
  for (size_t i = begin; i < end; ++i) {
    const ValueId id = graph.inputs()[i];
    infos.push_back({graph.value(id).name, program.names().declared_input(i, graph.fact(id))});
  }
  return infos;
}

std::vector<ValueInfo> input_infos(const Program& program) {
  return input_infos(program, 0, program.graph().inputs().size());
}

std::vector<ValueInfo> output_infos(const Program& program) {
  std::vector<ValueInfo> infos;
  for (const Graph::Output& output : program.graph().outputs()) {
    infos.push_back({output.name, program.names().declared(program.graph().fact(output.value))});
  }
  return infos;
}

}  // namespace linnet

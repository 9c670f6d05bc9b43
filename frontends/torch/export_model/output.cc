#include "output.h"

#include <cstdio>

#include "exporter/writer.h"

namespace linnet::exporter {

void write_output(const OnnxGraph& graph, const Options& options) {
  write_onnx(graph, options.form, options.output, options.external_data);
  std::printf("%s  %zu nodes, opset %lld\n", options.output.c_str(), graph.nodes.size(),
              static_cast<long long>(options.form.opset));
}

}  // namespace linnet::exporter

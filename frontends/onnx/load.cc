#include <filesystem>

#include "check_operators.h"
#include "function_table.h"
#include "graph_builder.h"
#include "linnet/onnx.h"
#include "parse.h"
#include "run/model_graph.h"
#include "tensor/memory_errors.h"
#include "tensor_reader.h"

namespace linnet {

namespace {

constexpr int64_t kOldestIr = 3;
constexpr int64_t kNewestIr = 14;

void check_header(const pb::ModelProto& model, const ModelOptions& options) {
  if (model.ir_version() < 1) throw Error(ErrorKind::kModel, "not an ONNX model: it states no IR version");
  const bool too_new = model.ir_version() > kNewestIr && !options.allow_newer_opset;
  if (model.ir_version() < kOldestIr || too_new) {
    throw Error(ErrorKind::kUnsupported,
                str("IR version ", model.ir_version(), ", supported are ", kOldestIr, " to ", kNewestIr));
  }
  if (!model.has_graph()) throw Error(ErrorKind::kModel, "the model has no graph");
}

Graph build_graph(const ParsedModel& parsed, const std::string& folder, const ModelOptions& options,
                  const Registry& registry) {
  const pb::ModelProto& model = *parsed.message;
  check_header(model, options);
  const OpsetImports opsets(model.opset_import(), options);
  if (opsets.empty()) throw Error(ErrorKind::kModel, "the model imports no operator set");
  const FunctionTable functions(model, opsets, options);
  check_operators(model.graph(), opsets, functions, registry, options.limits);
  DeferredReads weights(parsed);
  TensorReader tensors(folder, options, &weights);
  GraphBuilder builder(functions, tensors, options);
  Graph graph = builder.build(model.graph(), opsets, std::make_shared<const Registry>(registry));
  weights.finish(options.executor ? *options.executor : *make_openmp_executor());
  return graph;
}

// The message is freed before the model is prepared.
Model load(ParsedModel parsed, const std::string& folder, const ModelOptions& options, const Registry& registry) {
  Graph graph = build_graph(parsed, folder, options, registry);
  parsed = {};
  return make_model(std::move(graph), options);
}

}  // namespace

Model load_onnx(const std::string& path, const ModelOptions& options, const Registry& registry) {
  const std::string folder = (std::filesystem::path(path).parent_path() / ".").string();
  try {
    return with_memory_errors("load the model",
                              [&] { return load(parse_model_file(path, options.limits), folder, options, registry); });
  } catch (const Error& error) {
    throw error.with_context(path);
  }
}

Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                      const Registry& registry) {
  return with_memory_errors("load the model",
                            [&] { return load(parse_model_bytes(bytes, options.limits), folder, options, registry); });
}

}  // namespace linnet

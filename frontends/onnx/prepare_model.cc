#include "prepare_model.h"

#include <string_view>

#include "check_operators.h"
#include "environment/checked_executor.h"
#include "environment/run_environment.h"
#include "graph_builder.h"
#include "known_format.h"
#include "local_functions.h"
#include "tensor/seeded_hash.h"
#include "tensor_data.h"
#include "tensor_reader.h"
#include "value_type.h"

namespace linnet {

namespace {

constexpr int64_t kOldestIr = 3;
constexpr int64_t kNewestIr = 14;

void check_header(const ParsedModel& parsed, const ModelOptions& options) {
  const pb::ModelProto& model = *parsed.message;
  if (!model.has_graph() && parsed.source) {
    // Protobuf reads the messages of other formats, too.
    const std::string known = known_format(*parsed.source);
    if (!known.empty()) throw Error(ErrorKind::kModel, "not an ONNX model but " + known);
  }
  if (model.ir_version() < 1) throw Error(ErrorKind::kModel, "not an ONNX model: it states no IR version");
  const bool too_new = model.ir_version() > kNewestIr && !options.allow_newer_opset;
  if (model.ir_version() < kOldestIr || too_new) {
    throw Error(ErrorKind::kUnsupported,
                str("IR version ", model.ir_version(), ", supported are ", kOldestIr, " to ", kNewestIr));
  }
  if (!model.has_graph()) throw Error(ErrorKind::kModel, "the model has no graph");
}

void warn_of_newer(const pb::ModelProto& model, const OpsetImports& opsets, const Log& log) {
  if (!log) return;
  if (model.ir_version() > kNewestIr) {
    log(LogLevel::kWarning, str("IR version ", model.ir_version(), " is newer than any known, ", kNewestIr));
  }
  if (opsets.newer()) log(LogLevel::kWarning, str("the model's opset is newer than any known, ", kNewestOpset));
}

GraphBuilder::Built build_graph(const ParsedModel& parsed, TensorReader& tensors, const ModelOptions& options,
                                const Registry& registry, std::span<const ValueInfo> overridable) {
  const pb::ModelProto& model = *parsed.message;
  OpsetImports opsets(model.opset_import(), options);
  if (opsets.empty()) throw Error(ErrorKind::kModel, "the model imports no operator set");
  warn_of_newer(model, opsets, options.log);
  opsets.assume_missing(registry);
  const FunctionTable functions(model, opsets, options);
  check_operators(model.graph(), opsets, functions, registry, options);
  GraphBuilder builder(functions, tensors, options);
  auto built = builder.build(model.graph(), opsets, std::make_shared<const Registry>(registry), overridable);
  tensors.finish(*make_checked_executor(options.executor));
  return built;
}

// Returns the initializers that are also inputs. Until IR version 3, all initializers had to be listed as inputs.
std::vector<ValueInfo> overridable_initializers(const pb::ModelProto& model) {
  std::vector<ValueInfo> infos;
  if (model.ir_version() <= kOldestIr) return infos;
  if (model.graph().input().empty()) return infos;
  SeededSet<std::string_view> names;
  for (const pb::TensorProto& tensor : model.graph().initializer()) {
    check_current();
    names.insert(tensor.name());
  }
  for (const pb::ValueInfoProto& input : model.graph().input()) {
    if (names.contains(input.name()))
      infos.push_back({input.name(), declared_fact(input.type()), denotation_from_proto(input.type())});
  }
  return infos;
}

ModelMetadata metadata_of(const pb::ModelProto& model) {
  ModelMetadata metadata;
  metadata.producer_name = model.producer_name();
  metadata.producer_version = model.producer_version();
  metadata.domain = model.domain();
  metadata.description = model.doc_string();
  metadata.graph_name = model.graph().name();
  metadata.graph_description = model.graph().doc_string();
  metadata.version = model.model_version();
  for (const pb::StringStringEntryProto& entry : model.metadata_props()) {
    metadata.properties[entry.key()] = entry.value();
  }
  metadata.overridable = overridable_initializers(model);
  return metadata;
}

std::vector<Fact> declared_outputs(const pb::GraphProto& graph) {
  std::vector<Fact> facts;
  for (const pb::ValueInfoProto& output : graph.output()) facts.push_back(declared_fact(output.type()));
  return facts;
}

std::map<std::string, Denotation> denotations_of(const pb::GraphProto& graph) {
  std::map<std::string, Denotation> found;
  for (const auto* values : {&graph.input(), &graph.output()}) {
    for (const pb::ValueInfoProto& value : *values) {
      Denotation denotation = denotation_from_proto(value.type());
      if (denotation.type.empty() && denotation.dims.empty()) continue;
      found.emplace(value.name(), std::move(denotation));
    }
  }
  return found;
}

void check_initializer(const pb::TensorProto& declared, const Tensor& tensor) {
  const Fact fact(dtype_from_proto(declared.data_type()), shape_from_proto(declared.dims()));
  if (fits(fact, tensor)) return;
  throw Error(
      tensor.dtype() == fact.dtype ? ErrorKind::kShape : ErrorKind::kType,
      str("initializer '", declared.name(), "' is ", fact, ", ModelOptions::initializers has ", describe(tensor)));
}

/// Replaces initializers of the file with those that the program provides.
void give_initializers(const InitializerResolver& resolve, ParsedModel& parsed) {
  for (const pb::TensorProto& declared : parsed.message->graph().initializer()) {
    const Tensor tensor = resolve(declared.name());
    if (!tensor) continue;
    check_initializer(declared, tensor);
    parsed.given[&declared] = tensor;
  }
}

}  // namespace

// Takes the source by value so that the message is freed before the model is prepared.
Model prepare_model(ModelSource source, ModelOptions options, const Registry& registry, ExternalFiles* files) {
  options.files.reset();
  options.overridable_initializers |= source.parsed.has_states;
  if (!options.executor) options.executor = make_thread_executor();
  ModelOptions reading = options;
  reading.limits = source.limits;
  const pb::ModelProto& message = *source.parsed.message;
  check_header(source.parsed, reading);
  if (options.initializers) give_initializers(options.initializers, source.parsed);
  GraphNotes notes{.metadata = metadata_of(message),
                   .defaults = {},
                   .declared = declared_outputs(message.graph()),
                   .denotations = denotations_of(message.graph()),
                   .report = source.report,
                   .packs = source.packs};
  const std::span<const ValueInfo> overridable = notes.metadata.overridable;
  TensorReader tensors(source.parsed, std::move(source.external));
  auto [graph, defaults, nodes] = build_graph(source.parsed, tensors, reading, registry,
                                              options.overridable_initializers ? overridable : overridable.first(0));
  notes.defaults = std::move(defaults);
  notes.nodes = std::move(nodes);
  if (files) *files = tensors.external().files();
  source.parsed = {};
  return make_model(std::move(graph), options, std::move(notes));
}

}  // namespace linnet

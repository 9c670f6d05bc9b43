#include "model_message.h"

#include <map>
#include <string_view>

#include "message_writer.h"
#include "run/model_graph.h"
#include "value_type.h"

namespace linnet {

namespace {

constexpr int64_t kIrVersion = 10;

void write_metadata(const ModelMetadata& metadata, pb::ModelProto& proto) {
  proto.set_producer_name(metadata.producer_name);
  proto.set_producer_version(metadata.producer_version);
  proto.set_domain(metadata.domain);
  proto.set_doc_string(metadata.description);
  proto.set_model_version(metadata.version);
  if (!metadata.graph_name.empty()) proto.mutable_graph()->set_name(metadata.graph_name);
  proto.mutable_graph()->set_doc_string(metadata.graph_description);
  for (const auto& [key, value] : metadata.properties) {
    pb::StringStringEntryProto& entry = *proto.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

// Writes the types of outputs with the names of dims that the file declared.
void write_outputs(const std::vector<ValueInfo>& outputs, pb::GraphProto& graph) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    pb::ValueInfoProto& proto = *graph.mutable_output(int(i));
    proto.clear_type();
    if (!outputs[i].fact.present()) continue;
    write_type(outputs[i].fact, *proto.mutable_type());
    write_denotation(outputs[i].denotation, *proto.mutable_type());
  }
}

void write_input_denotations(const Model& model, pb::GraphProto& graph) {
  std::map<std::string_view, const Denotation*> denotations;
  for (const auto* infos : {&model.inputs(), &model.metadata().overridable}) {
    for (const ValueInfo& info : *infos) denotations.emplace(info.name, &info.denotation);
  }
  for (pb::ValueInfoProto& proto : *graph.mutable_input()) {
    const auto found = denotations.find(proto.name());
    if (found != denotations.end() && proto.has_type()) write_denotation(*found->second, *proto.mutable_type());
  }
}

}  // namespace

pb::ModelProto model_message(const Model& model, ConstantParts* constants) {
  pb::ModelProto proto;
  proto.set_ir_version(kIrVersion);
  MessageWriter(proto, constants).write(declared_graph(model));
  write_metadata(model.metadata(), proto);
  write_input_denotations(model, *proto.mutable_graph());
  write_outputs(model.outputs(), *proto.mutable_graph());
  return proto;
}

}  // namespace linnet

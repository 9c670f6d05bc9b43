#include "model_message.h"

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

// With the names of dims that the file declared.
void write_outputs(const std::vector<ValueInfo>& outputs, pb::GraphProto& graph) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    pb::ValueInfoProto& proto = *graph.mutable_output(int(i));
    proto.clear_type();
    if (outputs[i].fact.present()) write_type(outputs[i].fact, *proto.mutable_type());
  }
}

}  // namespace

pb::ModelProto model_message(const Model& model, ConstantParts* constants) {
  pb::ModelProto proto;
  proto.set_ir_version(kIrVersion);
  MessageWriter(proto, constants).write(declared_graph(model));
  write_metadata(model.metadata(), proto);
  write_outputs(model.outputs(), *proto.mutable_graph());
  return proto;
}

}  // namespace linnet

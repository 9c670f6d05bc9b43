#include "writer.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "export_error.h"
#include "functions.h"
#include "linnet_onnx.pb.h"
#include "onnx_types.h"

namespace linnet::exporter {
namespace {

namespace pb = ::linnet_onnx;

/// The limits for a protobuf message, and for weights, such that space for the graph remains.
constexpr size_t kMostBytes = (size_t(1) << 31) - 1;
constexpr size_t kMostWeights = kMostBytes - (size_t(1) << 26);

void close(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) throw ExportError(path + ": it cannot be written");
}

/// The file next to a model that holds its larger weights, each at the start of a page.
class DataFile {
 public:
  explicit DataFile(const std::string& model) : path_(model + ".data") {}

  /// Adds a tensor. Returns false for small tensors, which stay in the model.
  bool add(const Tensor& tensor, pb::TensorProto& proto) {
    if (tensor.bytes() < 1024) return false;
    proto.set_data_location(pb::TensorProto::EXTERNAL);
    add_entry("location", std::filesystem::path(path_).filename().string(), proto);
    add_entry("offset", std::to_string(offset_), proto);
    add_entry("length", std::to_string(tensor.bytes()), proto);
    if (offset_ == 0) file_.open(path_, std::ios::binary);
    file_.seekp(std::streamoff(offset_));
    file_.write(static_cast<const char*>(tensor.raw()), std::streamsize(tensor.bytes()));
    constexpr size_t kPage = 4096;
    offset_ = (offset_ + tensor.bytes() + kPage - 1) / kPage * kPage;
    return true;
  }

  void close() {
    if (offset_ > 0) exporter::close(file_, path_);
  }

 private:
  static void add_entry(const std::string& key, const std::string& value, pb::TensorProto& proto) {
    pb::StringStringEntryProto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }

  std::string path_;
  std::ofstream file_;
  size_t offset_ = 0;
};

void write_tensor(const Tensor& tensor, const std::string& name, pb::TensorProto& proto, const WeightSink& sink = {}) {
  proto.set_name(name);
  proto.set_data_type(onnx_type(tensor.dtype()));
  for (const int64_t size : tensor.shape()) proto.add_dims(size);
  if (!sink || !sink(tensor, proto)) proto.set_raw_data(tensor.raw(), tensor.bytes());
}

void write_graph(const OnnxGraph& graph, const std::string& name, pb::GraphProto& proto, const WeightSink& sink = {});

struct AttributeWriter {
  pb::AttributeProto& proto;

  void operator()(int64_t value) const {
    proto.set_type(pb::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(pb::AttributeProto::FLOAT);
    proto.set_f(float(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(pb::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    proto.set_type(pb::AttributeProto::INTS);
    for (const int64_t value : values) proto.add_ints(value);
  }
  void operator()(const std::vector<double>& values) const {
    proto.set_type(pb::AttributeProto::FLOATS);
    for (const double value : values) proto.add_floats(float(value));
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(pb::AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void operator()(const Tensor& value) const {
    proto.set_type(pb::AttributeProto::TENSOR);
    write_tensor(value, "", *proto.mutable_t());
  }
  void operator()(const std::shared_ptr<const OnnxGraph>& value) const {
    proto.set_type(pb::AttributeProto::GRAPH);
    write_graph(*value, "body", *proto.mutable_g());
  }
};

void write_value(const OnnxValue& value, pb::ValueInfoProto& proto) {
  proto.set_name(value.name);
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type(value.dtype));
  if (!value.dims) return;
  auto& shape = *tensor.mutable_shape();
  for (const OnnxDim& dim : *value.dims) {
    auto& written = *shape.add_dim();
    if (!dim.symbol.empty()) {
      written.set_dim_param(dim.symbol);
    } else if (dim.size >= 0) {
      written.set_dim_value(dim.size);
    }
  }
}

void write_node(const OnnxNode& node, pb::NodeProto& proto) {
  proto.set_op_type(node.op.op_type);
  proto.set_domain(node.op.domain);
  proto.set_name(node.name);
  proto.set_doc_string(node.source);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const auto& [name, attribute] : node.attributes) {
    pb::AttributeProto& written = *proto.add_attribute();
    written.set_name(name);
    std::visit(AttributeWriter{written}, attribute);
  }
}

void write_graph(const OnnxGraph& graph, const std::string& name, pb::GraphProto& proto, const WeightSink& sink) {
  proto.set_name(name);
  for (const OnnxValue& input : graph.inputs) write_value(input, *proto.add_input());
  for (const OnnxValue& output : graph.outputs) write_value(output, *proto.add_output());
  for (const OnnxNode& node : graph.nodes) write_node(node, *proto.add_node());
  for (const auto& [tensor_name, tensor] : graph.initializers) {
    write_tensor(tensor, tensor_name, *proto.add_initializer(), sink);
  }
}

void collect_domains(const OnnxGraph& graph, std::set<std::string>& domains) {
  for (const OnnxNode& node : graph.nodes) {
    domains.insert(node.op.domain);
    for (const auto& [name, attribute] : node.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute))
        collect_domains(**body, domains);
    }
  }
}

template <class Message>
void write_import(const std::string& domain, int64_t version, Message& message) {
  pb::OperatorSetIdProto& import = *message.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

void write_function(const OnnxFunction& function, const ExportOptions& options, pb::ModelProto& model) {
  pb::FunctionProto& proto = *model.add_functions();
  proto.set_domain(function.domain);
  proto.set_name(function.name);
  for (const std::string& input : function.inputs) proto.add_input(input);
  for (const std::string& output : function.outputs) proto.add_output(output);
  for (const OnnxNode& node : function.nodes) write_node(node, *proto.add_node());
  write_import("", options.opset, proto);
}

/// Returns the first IR version that supports the opset.
int64_t ir_version(int64_t opset) {
  if (opset >= 23) return opset - 12;
  return opset >= 21 ? 10 : opset >= 19 ? 9 : 8;
}

size_t weight_bytes(const OnnxGraph& graph) {
  size_t bytes = 0;
  for (const auto& [name, tensor] : graph.initializers) bytes += tensor.bytes();
  return bytes;
}

}  // namespace

void write_model(const OnnxGraph& graph, const ExportOptions& options, const WeightSink& sink, pb::ModelProto& model) {
  model.set_ir_version(ir_version(options.opset));
  model.set_producer_name("linnet export_model");
  write_graph(graph, "pytorch", *model.mutable_graph(), sink);
  std::set<std::string> domains{""};
  collect_domains(graph, domains);
  for (const std::string& domain : domains) write_import(domain, domain.empty() ? options.opset : 1, model);
  for (const OnnxFunction& function : used_functions(graph, options)) write_function(function, options, model);
}

void write_onnx(const OnnxGraph& graph, const ExportOptions& options, const std::string& path, bool external_data) {
  pb::ModelProto model;
  if (external_data || weight_bytes(graph) > kMostWeights) {
    DataFile data(path);
    write_model(graph, options, std::bind_front(&DataFile::add, &data), model);
    data.close();
  } else {
    write_model(graph, options, {}, model);
  }
  if (model.ByteSizeLong() > kMostBytes) throw ExportError("the graph would exceed the 2 GiB that an ONNX file holds");
  std::ofstream file(path, std::ios::binary);
  model.SerializeToOstream(&file);
  close(file, path);
}

}  // namespace linnet::exporter

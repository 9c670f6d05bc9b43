#include "parse_ort.h"

#include <string_view>

#include "environment/run_environment.h"
#include "linnet/error.h"
#include "ort_format_generated.h"
#include "tensor/counted_vector.h"
#include "tensor/seeded_hash.h"

namespace linnet::ort_format {
namespace {

template <class T>
using List = flatbuffers::Vector<flatbuffers::Offset<T>>;

constexpr uint32_t kMostDepth = 128, kMostTables = 1u << 24;

[[noreturn]] void fail(const char* message) { throw Error(ErrorKind::kModel, message); }

/// Calls f(element) for each element of a list that may be absent. Throws Error(kModel) if an element is absent.
template <class T, class F>
void for_each(const List<T>* list, F&& f) {
  if (!list) return;
  for (const T* element : *list) {
    if (!element) fail("an element of a list is missing");
    f(*element);
  }
}

template <class T>
const T& required(const T* part, const char* message) {
  if (!part) fail(message);
  return *part;
}

/// Converts the parts of a verified flat buffer to ONNX's messages.
class Writer {
 public:
  /// bytes: the size of the whole buffer. Parts of it that are used repeatedly must not make the model much larger.
  explicit Writer(size_t bytes) : left_(size_t(checked_add(checked_mul(4, int64_t(bytes)), int64_t{1} << 20))) {}

  void write_model(const Model& from, pb::ModelProto& to) {
    to.set_ir_version(from.ir_version());
    to.set_producer_name(text(from.producer_name()));
    to.set_producer_version(text(from.producer_version()));
    to.set_domain(text(from.domain()));
    to.set_model_version(from.model_version());
    to.set_doc_string(text(from.doc_string()));
    for_each(from.opset_import(), [&](const OperatorSetId& opset) {
      pb::OperatorSetIdProto& imported = *to.add_opset_import();
      imported.set_domain(text(opset.domain()));
      imported.set_version(opset.version());
    });
    for_each(from.metadata_props(), [&](const StringEntry& entry) {
      pb::StringStringEntryProto& property = *to.add_metadata_props();
      property.set_key(text(entry.key()));
      property.set_value(text(entry.value()));
    });
    write_graph(required(from.graph(), "the model has no graph"), *to.mutable_graph());
    to.mutable_graph()->set_doc_string(text(from.graph_doc_string()));
  }

 private:
  void write_graph(const Graph& from, pb::GraphProto& to) {
    for_each(from.initializers(), [&](const Tensor& tensor) { write_tensor(tensor, *to.add_initializer()); });
    for_each(from.sparse_initializers(), [&](const SparseTensor& tensor) {
      pb::SparseTensorProto& sparse = *to.add_sparse_initializer();
      write_tensor(required(tensor.values(), "a sparse tensor has no values"), *sparse.mutable_values());
      write_tensor(required(tensor.indices(), "a sparse tensor has no indices"), *sparse.mutable_indices());
      copy(tensor.dims(), [&](int64_t dim) { sparse.add_dims(dim); });
    });
    for_each(from.nodes(), [&](const Node& node) { write_node(node, *to.add_node()); });
    const Types types = types_of(from);
    write_values(types, from.inputs(), [&] { return to.add_input(); });
    write_values(types, from.outputs(), [&] { return to.add_output(); });
  }

  using Types = SeededMap<std::string_view, const TypeInfo*>;

  static Types types_of(const Graph& graph) {
    Types types;
    for_each(graph.node_args(), [&](const ValueInfo& value) {
      if (value.name() && value.type()) types[{value.name()->c_str(), value.name()->size()}] = value.type();
    });
    return types;
  }

  /// Writes inputs or outputs, whose names the graph lists.
  template <class Add>
  void write_values(const Types& types, const List<flatbuffers::String>* names, Add add) {
    for_each(names, [&](const flatbuffers::String& name) {
      pb::ValueInfoProto& value = *add();
      value.set_name(text(&name));
      const auto type = types.find(value.name());
      if (type != types.end()) write_type(*type->second, *value.mutable_type());
    });
  }

  void write_type(const TypeInfo& from, pb::TypeProto& to) {
    if (from.denotation()) to.set_denotation(text(from.denotation()));
    if (const TensorType* tensor = from.value_as_TensorType()) {
      to.mutable_tensor_type()->set_elem_type(tensor->elem_type());
      if (tensor->shape()) write_shape(*tensor->shape(), *to.mutable_tensor_type()->mutable_shape());
    } else if (const SequenceType* sequence = from.value_as_SequenceType()) {
      write_type(required(sequence->elem_type(), "a sequence has no type of elements"),
                 *to.mutable_sequence_type()->mutable_elem_type());
    } else if (const MapType* map = from.value_as_MapType()) {
      to.mutable_map_type()->set_key_type(map->key_type());
      write_type(required(map->value_type(), "a map has no type of values"),
                 *to.mutable_map_type()->mutable_value_type());
    }
  }

  void write_shape(const Shape& from, pb::TensorShapeProto& to) {
    for_each(from.dims(), [&](const Dimension& dimension) {
      auto& dim = *to.add_dim();
      if (dimension.denotation()) dim.set_denotation(text(dimension.denotation()));
      const DimensionValue* value = dimension.value();
      if (value && value->kind() == DimensionKind_VALUE) dim.set_dim_value(value->value());
      if (value && value->kind() == DimensionKind_PARAM) dim.set_dim_param(text(value->param()));
    });
  }

  void write_node(const Node& from, pb::NodeProto& to) {
    to.set_name(text(from.name()));
    to.set_domain(text(from.domain()));
    to.set_op_type(text(from.op_type()));
    for_each(from.inputs(), [&](const flatbuffers::String& name) { to.add_input(text(&name)); });
    for_each(from.outputs(), [&](const flatbuffers::String& name) { to.add_output(text(&name)); });
    for_each(from.attributes(), [&](const Attribute& attribute) { write_attribute(attribute, *to.add_attribute()); });
  }

  void write_attribute(const Attribute& from, pb::AttributeProto& to) {
    to.set_name(text(from.name()));
    to.set_type(pb::AttributeProto::AttributeType(from.type()));  // both have the same numbers
    to.set_f(from.f());
    to.set_i(from.i());
    to.set_s(text(from.s()));
    if (from.t()) write_tensor(*from.t(), *to.mutable_t());
    if (from.g()) write_graph(*from.g(), *to.mutable_g());
    copy(from.floats(), [&](float value) { to.add_floats(value); });
    copy(from.ints(), [&](int64_t value) { to.add_ints(value); });
    for_each(from.strings(), [&](const flatbuffers::String& value) { to.add_strings(text(&value)); });
    for_each(from.tensors(), [&](const Tensor& value) { write_tensor(value, *to.add_tensors()); });
    for_each(from.graphs(), [&](const Graph& value) { write_graph(value, *to.add_graphs()); });
  }

  void write_tensor(const Tensor& from, pb::TensorProto& to) {
    if (from.external_data_offset() >= 0) {
      throw Error(ErrorKind::kUnsupported, str("tensor '", text(from.name()), "' has its values in another file"));
    }
    to.set_name(text(from.name()));
    to.set_data_type(from.data_type());
    copy(from.dims(), [&](int64_t dim) { to.add_dims(dim); });
    for_each(from.string_data(), [&](const flatbuffers::String& value) { to.add_string_data(text(&value)); });
    if (const auto* raw = from.raw_data()) {
      spend(raw->size());
      to.set_raw_data(raw->data(), raw->size());
    }
  }

  template <class T, class F>
  void copy(const flatbuffers::Vector<T>* list, F&& add) {
    if (!list) return;
    spend(list->size() * sizeof(T));
    for (const T value : *list) add(value);
  }

  std::string text(const flatbuffers::String* string) {
    if (!string) return {};
    spend(string->size());
    return string->str();
  }

  void spend(size_t bytes) {
    check_current();
    if (bytes > left_) fail("parts of the file are used too often");
    left_ -= bytes;
  }

  size_t left_;
};

CountedVector<std::byte> read_all(const ByteSource& source, const Limits& limits) {
  if (limits.file_bytes > 0 && source.size() > limits.file_bytes) {
    throw Error(ErrorKind::kLimit, str("the file has ", source.size(), " bytes, the limit is ", limits.file_bytes));
  }
  if (source.size() >= int64_t{FLATBUFFERS_MAX_BUFFER_SIZE}) {
    throw Error(ErrorKind::kLimit, "the format holds less than 2 GiB");
  }
  CountedVector<std::byte> bytes(size_t(source.size()));
  source.read(bytes, 0);
  return bytes;
}

}  // namespace

ParsedModel parse_ort(std::shared_ptr<const ByteSource> source, const Limits& limits) {
  const CountedVector<std::byte> bytes = read_all(*source, limits);
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kMostDepth, kMostTables);
  if (!VerifySessionBuffer(verifier)) {
    throw Error(ErrorKind::kModel,
                str(source->name(), " begins as a model of ONNX Runtime's format does, and is malformed"));
  }
  ParsedModel parsed{.source = std::move(source)};
  auto& message = parsed.arena.message<pb::ModelProto>();
  Writer(bytes.size()).write_model(required(GetSession(data)->model(), "the file has no model"), message);
  parsed.message = &message;
  auto texts = std::make_shared<CountedMemory>();
  texts->add(message.ByteSizeLong());
  parsed.texts = std::move(texts);
  return parsed;
}

}  // namespace linnet::ort_format

// Models that clients build from nodes, or extend. Functions that take ownership of objects do so only if they succeed.

#include <set>

#include "edited_graph.h"
#include "op_attribute.h"
#include "run/model_graph.h"
#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

Status* make_type(ValueKind kind, TypeInfo** created, void (*set)(TypeInfo&, const void*), const void* part) noexcept {
  return create(created, [&] {
    auto info = std::make_unique<TypeInfo>();
    info->kind = kind;
    set(*info, &valid(static_cast<const char*>(part), "the type"));
    return info.release();
  });
}

std::shared_ptr<const TypeInfo> copied(const void* info) {
  return std::make_shared<const TypeInfo>(*static_cast<const TypeInfo*>(info));
}

void set_tensor(TypeInfo& info, const void* tensor) {
  info.tensor = *static_cast<const TensorTypeAndShapeInfo*>(tensor);
  info.tensor.symbols.resize(info.tensor.dims.size());
}

Status* CreateTensorTypeInfo(const TensorTypeAndShapeInfo* tensor, TypeInfo** created) noexcept {
  return make_type(kTensorKind, created, set_tensor, tensor);
}

Status* CreateSparseTensorTypeInfo(const TensorTypeAndShapeInfo* tensor, TypeInfo** created) noexcept {
  return make_type(kSparseTensorKind, created, set_tensor, tensor);
}

Status* CreateMapTypeInfo(ElementType key, const TypeInfo* value, TypeInfo** created) noexcept {
  return guarded([&] {
    const auto set = [](TypeInfo& info, const void* part) { info.map.value = copied(part); };
    throw_status(make_type(kMapKind, created, set, value));
    (*created)->map.key = key;
  });
}

Status* CreateSequenceTypeInfo(const TypeInfo* element, TypeInfo** created) noexcept {
  const auto set = [](TypeInfo& info, const void* part) { info.sequence.element = copied(part); };
  return make_type(kSequenceKind, created, set, element);
}

Status* CreateOptionalTypeInfo(const TypeInfo* contained, TypeInfo** created) noexcept {
  const auto set = [](TypeInfo& info, const void* part) { info.optional.contained = copied(part); };
  return make_type(kOptionalKind, created, set, contained);
}

Status* CreateValueInfo(const char* name, const TypeInfo* type, EditedValue** created) noexcept {
  return create(created, [&] {
    require(name && *name, "name cannot be null or empty string");
    require(valid(type, "type_info").kind == kTensorKind, "Only tensor types are supported currently");
    return new EditedValue{name, *type};
  });
}

std::vector<std::string> texts(const char* const* names, size_t count) {
  require(names || count == 0, "names must not be NULL");
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) result.emplace_back(text(names[i], "a name"));
  return result;
}

std::string standard_domain(const char* domain) {
  const std::string name = domain ? domain : "";
  return name == "ai.onnx" ? "" : name;
}

Status* CreateNode(const char* op_type, const char* domain, const char* name, const char* const* inputs,
                   size_t input_count, const char* const* outputs, size_t output_count, OpAttr** attributes,
                   size_t attribute_count, EditedNode** created) noexcept {
  return create(created, [&] {
    require(op_type && *op_type, "operator_name cannot be null or empty string");
    require(attributes || attribute_count == 0, "attributes must not be NULL");
    auto node = std::make_unique<EditedNode>();
    node->spec.op_type = op_type;
    node->spec.domain = standard_domain(domain);
    node->spec.name = name ? name : "";
    node->inputs = texts(inputs, input_count);
    node->outputs = texts(outputs, output_count);
    for (size_t i = 0; i < attribute_count; ++i) {
      const OpAttr& attribute = valid(attributes[i], "an attribute");
      node->spec.attributes[attribute.name] = attribute.value;
    }
    for (size_t i = 0; i < attribute_count; ++i) ReleaseOpAttr(std::exchange(attributes[i], nullptr));
    return node.release();
  });
}

Status* CreateGraph(EditedGraph** created) noexcept {
  return create(created, [] { return new EditedGraph; });
}

Status* set_values(std::optional<std::vector<EditedValue>>& values, EditedValue** given, size_t count) noexcept {
  return guarded([&] {
    require(given || count == 0, "the values must not be NULL");
    std::vector<EditedValue> taken;
    for (size_t i = 0; i < count; ++i) {
      require(given[i], "the array of values must not have null entries");
      taken.push_back(*given[i]);
    }
    values = std::move(taken);
    for (size_t i = 0; i < count; ++i) delete std::exchange(given[i], nullptr);
  });
}

Status* SetGraphInputs(EditedGraph* graph, EditedValue** inputs, size_t count) noexcept {
  return guarded([&] { throw_status(set_values(valid(graph, "graph").inputs, inputs, count)); });
}

Status* SetGraphOutputs(EditedGraph* graph, EditedValue** outputs, size_t count) noexcept {
  return guarded([&] { throw_status(set_values(valid(graph, "graph").outputs, outputs, count)); });
}

Status* AddInitializerToGraph(EditedGraph* graph, const char* name, Value* value, bool is_external) noexcept {
  return guarded([&] {
    constexpr size_t kLeastExternal = 128;
    auto& initializers = valid(graph, "graph").initializers;
    const Tensor& tensor = tensor_of(value);
    require(name && *name, "name cannot be null or empty string");
    require(!is_external || tensor.bytes() >= kLeastExternal,
            "data_is_external=true requires the tensor to be larger than 127 bytes");
    const bool is_new = initializers.try_emplace(name, is_external ? tensor : tensor.clone()).second;
    if (!is_new) throw Failure(kInvalidArgument, str("the graph has an initializer '", name, "' already"));
    ReleaseValue(value);
  });
}

Status* AddNodeToGraph(EditedGraph* graph, EditedNode* node) noexcept {
  return guarded([&] {
    valid(graph, "graph").nodes.push_back(valid(node, "node"));
    delete node;
  });
}

Status* CreateModel(const char* const* domains, const int* versions, size_t count, EditedModel** created) noexcept {
  return create(created, [&] {
    require((domains && versions) || count == 0, "domain_names and opset_versions must not be NULL");
    auto model = std::make_unique<EditedModel>();
    for (size_t i = 0; i < count; ++i) model->opsets[standard_domain(text(domains[i], "a domain"))] = versions[i];
    return model.release();
  });
}

Status* AddGraphToModel(EditedModel* model, EditedGraph* graph) noexcept {
  return guarded([&] {
    require(!valid(model, "model").graph, "the model has a graph already");
    model->graph.reset(&valid(graph, "graph"));
  });
}

Status* CreateSessionFromModel(const Env* env, const EditedModel* model, const SessionOptions* options,
                               Session** created) noexcept {
  return create(created, [&] {
    const EditedModel& from = valid(model, "model");
    if (!from.graph) throw Failure(kInvalidArgument, "the model has no graph");
    if (!from.opsets.contains("")) {
      throw Failure(kInvalidArgument, "The opset for the ONNX domain must be explicitly specified.");
    }
    const SessionOptions defaults;
    return new Session{std::make_shared<SessionState>(valid(env, "env"), options ? *options : defaults,
                                                      std::make_shared<const EditedSource>(*from.graph, from.opsets))};
  });
}

/// Creates the session that is extended, with its model by names.
Status* begin_editing(const Env* env, const SessionOptions* options, std::shared_ptr<const ModelSource> source,
                      Session** created) noexcept {
  return create(created, [&] {
    const SessionOptions defaults;
    SessionOptions as_written = options ? *options : defaults;
    as_written.optimization = kDisableAll;
    auto session = std::make_unique<Session>();
    session->state = std::make_shared<SessionState>(valid(env, "env"), as_written, std::move(source));
    const Graph& graph = model_graph(session->state->model());
    session->editing = std::make_unique<EditedSource>(edited_graph(graph), opsets_of(graph));
    session->environment = env;
    return session.release();
  });
}

Status* CreateModelEditorSession(const Env* env, const char* path, const SessionOptions* options,
                                 Session** created) noexcept {
  return guarded([&] {
    auto source = std::make_shared<const FileSource>(text(path, "model_path"));
    throw_status(begin_editing(env, options, std::move(source), created));
  });
}

Status* CreateModelEditorSessionFromArray(const Env* env, const void* bytes, size_t size, const SessionOptions* options,
                                          Session** created) noexcept {
  return guarded([&] { throw_status(begin_editing(env, options, bytes_source(bytes, size), created)); });
}

EditedSource& editing(Session* session) {
  require(valid(session, "session").editing != nullptr, "the session was not made to be edited");
  return *session->editing;
}

Status* SessionGetOpsetForDomain(const Session* session, const char* domain, int* opset) noexcept {
  return guarded([&] {
    const auto opsets = opsets_of(model_graph(valid(session, "session").state->model()));
    const auto found = opsets.find(standard_domain(text(domain, "domain")));
    if (found == opsets.end()) throw Failure(kFail, "Domain not used by model.");
    valid(opset, "opset") = int(found->second);
  });
}

Status* ApplyModelToModelEditorSession(Session* session, const EditedModel* model) noexcept {
  return guarded([&] {
    EditedSource& edited = editing(session);
    add(valid(model, "model"), edited.graph, edited.opsets);
  });
}

Status* FinalizeModelEditorSession(Session* session, const SessionOptions* options,
                                   PrepackedWeightsContainer*) noexcept {
  return guarded([&] {
    auto source = std::make_shared<const EditedSource>(editing(session));
    const SessionOptions& chosen = options ? *options : session->state->options();
    session->state = std::make_shared<SessionState>(valid(session->environment, "env"), chosen, std::move(source));
    session->editing = nullptr;
  });
}

}  // namespace

Status* GetValueInfoName(const EditedValue* value, const char** name) noexcept {
  return guarded([&] { valid(name, "name") = valid(value, "value_info").name.c_str(); });
}

Status* GetValueInfoTypeInfo(const EditedValue* value, const TypeInfo** type) noexcept {
  return guarded([&] { valid(type, "type_info") = &valid(value, "value_info").type; });
}

void ReleaseValueInfo(EditedValue* value) noexcept { delete value; }
void ReleaseNode(EditedNode* node) noexcept { delete node; }
void ReleaseGraph(EditedGraph* graph) noexcept { delete graph; }
void ReleaseModel(EditedModel* model) noexcept { delete model; }

const void* GetModelEditorApi() noexcept {
  static const Slot table[] = {slot(CreateTensorTypeInfo),
                               slot(CreateSparseTensorTypeInfo),
                               slot(CreateMapTypeInfo),
                               slot(CreateSequenceTypeInfo),
                               slot(CreateOptionalTypeInfo),
                               slot(CreateValueInfo),
                               slot(CreateNode),
                               slot(CreateGraph),
                               slot(SetGraphInputs),
                               slot(SetGraphOutputs),
                               slot(AddInitializerToGraph),
                               slot(AddNodeToGraph),
                               slot(CreateModel),
                               slot(AddGraphToModel),
                               slot(CreateSessionFromModel),
                               slot(CreateModelEditorSession),
                               slot(CreateModelEditorSessionFromArray),
                               slot(SessionGetOpsetForDomain),
                               slot(ApplyModelToModelEditorSession),
                               slot(FinalizeModelEditorSession)};
  return table;
}

}  // namespace linnet::ort

// Queries of the parts of a model that a client builds. As in ONNX Runtime, they return names and numbers.
#include "edited_graph.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

template <class T>
Status* count(const T* object, size_t* out, size_t (*number)(const T&)) noexcept {
  return guarded([&] { valid(out, "out") = number(valid(object, "the object")); });
}

Status* show(const EditedNode* node, const char** out, const std::string& (*name)(const EditedNode&)) noexcept {
  return guarded([&] { valid(out, "out") = name(valid(node, "node")).c_str(); });
}

}  // namespace

Status* Graph_GetName(const EditedGraph* graph, const char** name) noexcept {
  return guarded([&] {
    valid(graph, "graph");
    valid(name, "out") = "";
  });
}

Status* Graph_GetModelPath(const EditedGraph* graph, const char** path) noexcept { return Graph_GetName(graph, path); }

Status* Graph_GetOnnxIRVersion(const EditedGraph* graph, int64_t* version) noexcept {
  constexpr int64_t kNewest = 13;
  return guarded([&] {
    valid(graph, "graph");
    valid(version, "onnx_ir_version") = kNewest;
  });
}

Status* Graph_GetNumInputs(const EditedGraph* graph, size_t* out) noexcept {
  return count<EditedGraph>(graph, out, [](const EditedGraph& of) { return of.inputs ? of.inputs->size() : 0; });
}
Status* Graph_GetNumOutputs(const EditedGraph* graph, size_t* out) noexcept {
  return count<EditedGraph>(graph, out, [](const EditedGraph& of) { return of.outputs ? of.outputs->size() : 0; });
}
Status* Graph_GetNumInitializers(const EditedGraph* graph, size_t* out) noexcept {
  return count<EditedGraph>(graph, out, [](const EditedGraph& of) { return of.initializers.size(); });
}
Status* Graph_GetNumNodes(const EditedGraph* graph, size_t* out) noexcept {
  return count<EditedGraph>(graph, out, [](const EditedGraph& of) { return of.nodes.size(); });
}

Status* Node_GetName(const EditedNode* node, const char** name) noexcept {
  return show(node, name, [](const EditedNode& of) -> const std::string& { return of.spec.name; });
}
Status* Node_GetOperatorType(const EditedNode* node, const char** name) noexcept {
  return show(node, name, [](const EditedNode& of) -> const std::string& { return of.spec.op_type; });
}
Status* Node_GetDomain(const EditedNode* node, const char** name) noexcept {
  return show(node, name, [](const EditedNode& of) -> const std::string& { return of.spec.domain; });
}
Status* Node_GetNumInputs(const EditedNode* node, size_t* out) noexcept {
  return count<EditedNode>(node, out, [](const EditedNode& of) { return of.inputs.size(); });
}
Status* Node_GetNumOutputs(const EditedNode* node, size_t* out) noexcept {
  return count<EditedNode>(node, out, [](const EditedNode& of) { return of.outputs.size(); });
}
Status* Node_GetNumAttributes(const EditedNode* node, size_t* out) noexcept {
  return count<EditedNode>(node, out, [](const EditedNode& of) { return of.spec.attributes.size(); });
}

}  // namespace linnet::ort

#include <type_traits>

#include "program_reader.h"
#include "tensor/seeded_hash.h"

namespace linnet::pt2 {

namespace {

using NameFunction = std::function<void(const std::string& name, bool is_tensor)>;

template <class T>
concept HasName = std::is_same_v<T, TensorName> || std::is_same_v<T, SymIntName> || std::is_same_v<T, SymFloatName> ||
    std::is_same_v<T, SymBoolName> || std::is_same_v<T, CustomObject>;

// These overloads call each other, so all are declared first.
template <class T>
void visit_names(const T& value, const NameFunction& f);
template <class T>
void visit_names(const std::vector<T>& values, const NameFunction& f);
template <class T>
void visit_names(const std::optional<T>& value, const NameFunction& f);
template <class... T>
void visit_names(const std::variant<T...>& value, const NameFunction& f);

template <class T>
void visit_names(const std::vector<T>& values, const NameFunction& f) {
  for (const auto& value : values) visit_names(value, f);
}
template <class T>
void visit_names(const std::optional<T>& value, const NameFunction& f) {
  if (value) visit_names(*value, f);
}
template <class... T>
void visit_names(const std::variant<T...>& value, const NameFunction& f) {
  std::visit([&](const auto& held) { visit_names(held, f); }, value);
}

template <class T>
void visit_names(const T& value, const NameFunction& f) {
  if constexpr (HasName<T>) f(value.name, std::is_same_v<T, TensorName>);
  if constexpr (std::is_same_v<T, ArgumentMap>) visit_names(value.values, f);
  if constexpr (std::is_same_v<T, Argument>) visit_names(value.value, f);
}

/// The values defined so far in a graph.
class Scope {
 public:
  explicit Scope(const Graph& graph) : graph_(graph) {}

  void define(const Argument& argument, JsonRef place) {
    visit_names(argument, [&](const std::string& name, bool is_tensor) {
      if (!defined_.emplace(name, is_tensor).second) place.fail(str("value '", name, "' is defined twice"));
      if (is_tensor && !graph_.tensor_values.contains(name)) {
        place.fail(str("tensor '", name, "' is not among the graph's tensor_values"));
      }
    });
  }
  void read(const Argument& argument, JsonRef place) const {
    visit_names(argument, [&](const std::string& name, bool is_tensor) {
      const auto found = defined_.find(name);
      if (found == defined_.end()) place.fail(str("value '", name, "' is read before it is defined"));
      if (found->second != is_tensor) {
        place.fail(str("value '", name, "' is ",
                       is_tensor ? "not a tensor, but is read as one" : "a tensor, but is not read as one"));
      }
    });
  }

 private:
  const Graph& graph_;
  SeededMap<std::string, bool> defined_;  // true for tensors
};

}  // namespace

void for_each_name(const Argument& argument, const std::function<void(const std::string& name)>& f) {
  visit_names(argument, [&](const std::string& name, bool) { f(name); });
}

void check_names(const Graph& graph, JsonRef json) {
  Scope scope(graph);
  const JsonRef inputs = json.at("inputs"), nodes = json.at("nodes"), outputs = json.at("outputs");
  for (size_t i = 0; i < graph.inputs.size(); ++i) scope.define(graph.inputs[i], inputs[i]);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const NamedArgument& input : node.inputs) scope.read(input.argument, nodes[i]);
    for (const Argument& output : node.outputs) scope.define(output, nodes[i]);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) scope.read(graph.outputs[i], outputs[i]);
}

}  // namespace linnet::pt2

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "linnet/fact.h"

namespace linnet {

class Graph;  // the engine's

/// The value of an attribute. An attribute that is a type is the Fact of values of that type. A graph attribute is a
/// control-flow body; the outer values that it captures are its last inputs (see NodeSpec::captures).
using Attribute = std::variant<int64_t, float, std::string, Tensor, std::shared_ptr<const Graph>, std::vector<int64_t>,
                               std::vector<float>, std::vector<std::string>, std::vector<Tensor>, Fact>;

/// The attributes of a node by name.
struct LINNET_API Attributes : std::map<std::string, Attribute> {
  using map::map;
  /// A map without attributes.
  Attributes() = default;
  Attributes(const Attributes&);  // these five are not inline, as in Fact
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();
};

/// The names and types of a node's values, as written in the model.
struct WrittenValues {
  std::vector<std::string> inputs, outputs;  ///< names; "" where omitted
  std::vector<Fact> declared;  ///< types of outputs that are also outputs of the model; not present() for others
};

/// A node as written in the model, from which an Op is constructed.
struct LINNET_API NodeSpec {
  std::string op_type;  ///< the name of the operator, such as "Conv"
  std::string domain;   ///< "" is ai.onnx
  std::string name;     ///< the name of the node; may be empty
  int64_t opset = 1;    ///< the version of the domain that the model imports
  int num_inputs = 0;   ///< the number of inputs as written, including omitted ones before the last
  int num_outputs = 1;  ///< the number of outputs as written
  /// The number of trailing inputs that were added for the values that bodies capture. Every body has these as its last
  /// inputs, in the same order.
  int captures = 0;
  Attributes attributes;  ///< as written; attributes with default values may be absent
  /// The node's values as written in the model. Only the constructor of the Op may read them; nullptr where a rewrite
  /// makes the node.
  std::shared_ptr<const WrittenValues> written{};

  /// Whether the node has an attribute of that name.
  bool has(const std::string& attribute) const { return attributes.contains(attribute); }

  /// The attribute, or nullptr if it is absent. Throws Error(kModel) if it has another type than T.
  template <class T>
  const T* find(const std::string& attribute) const;

  /// A required attribute. Throws Error(kModel) if it is absent or has another type than T.
  template <class T>
  const T& attr(const std::string& attribute) const;

  /// An optional attribute: attr_or("axis", -1), attr_or("alpha", 0.01f), attr_or("mode", "linear"), attr_or("pads",
  /// std::vector<int64_t>{}). An integer default of any width reads an int64_t, a string literal reads a std::string.
  template <class T>
  auto attr_or(const std::string& attribute, T fallback) const {
    if constexpr (std::is_same_v<T, bool>) {
      const auto* value = find<int64_t>(attribute);
      return value ? *value != 0 : fallback;
    } else if constexpr (std::is_integral_v<T>) {
      const auto* value = find<int64_t>(attribute);
      return value ? *value : int64_t{fallback};
    } else if constexpr (std::is_convertible_v<T, std::string>) {
      const auto* value = find<std::string>(attribute);
      return value ? *value : std::string(fallback);
    } else {
      const auto* value = find<T>(attribute);
      return value ? *value : fallback;
    }
  }

  /// "Conv 'layer1.0.conv1' (opset 14)"; with the domain if it is not ai.onnx.
  std::string describe() const;
};

[[noreturn]] LINNET_API void throw_missing_attribute(const std::string& attribute);
[[noreturn]] LINNET_API void throw_attribute_type(const std::string& attribute);

template <class T>
const T* NodeSpec::find(const std::string& attribute) const {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  if (!value) throw_attribute_type(attribute);
  return value;
}

template <class T>
const T& NodeSpec::attr(const std::string& attribute) const {
  const T* value = find<T>(attribute);
  if (!value) throw_missing_attribute(attribute);
  return *value;
}

}  // namespace linnet

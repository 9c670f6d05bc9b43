#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/containers.h"
#include "linnet/op.h"
#include "linnet/prefix.h"

namespace linnet {

/// The domain, and the first opset of it, that a registration of an operator serves.
struct OpVersion {
  int64_t since = 1;     ///< the first version of the domain that it serves
  std::string domain{};  ///< "" is ai.onnx
  /// For operators with bodies: the minimum number of inputs before the values that the bodies capture, which are added
  /// as further inputs (NodeSpec::captures). Inputs up to this number that the model does not write count as omitted.
  int own_inputs = 0;
  /// Whether dims that the model declares as numbers for the inputs of its bodies hold in every iteration. Otherwise
  /// declared shapes of bodies are ignored, since they are often those of the first iteration only.
  bool declared_shapes = false;
};

/// The operators and rewrites that a model is loaded with. It has value semantics: copy one and add to it.
class LINNET_API Registry {
 public:
  /// Makes the operator of a node; throws Error if the node's attributes do not fit.
  using Factory = std::function<std::unique_ptr<Op>(const NodeSpec&)>;

  /// Registers an operator, or replaces that of the same name, domain and first version.
  void add(const std::string& op_type, const OpVersion& version, Factory factory);
  /// Registers operator class T, which is constructed from the node.
  template <class T>
  void add(const std::string& op_type, const OpVersion& version = {}) {
    add(op_type, version, make<T>);
  }

  /// The operator of a node: the newest registration that is not above the node's opset. Throws Error(kUnsupported) if
  /// no registration fits, and what the operator's constructor throws.
  std::shared_ptr<const Op> create(const NodeSpec& node) const;
  /// OpVersion::own_inputs of the node's operator. Throws Error(kUnsupported) if no registration fits.
  int own_inputs(const NodeSpec& node) const;
  /// OpVersion::declared_shapes of the node's operator; false if no registration fits.
  bool declared_shapes(const NodeSpec& node) const;
  /// Whether a registration serves an operator of that domain ("" is ai.onnx) and opset.
  bool contains(const std::string& domain, const std::string& op_type, int64_t opset) const;

  /// The names of the graph rewrites, in the order in which they are tried; for ModelOptions::disabled_rewrites.
  std::vector<std::string> rewrite_names() const;

  /// An operator, and the versions of its domain from which on each of its registrations applies.
  struct Entry {
    std::string domain, op_type;  ///< "" is ai.onnx
    std::vector<int64_t> since;   ///< ascending
  };
  /// All operators, sorted by domain and name.
  std::vector<Entry> entries() const;

  /// The text that errors add about missing operators, where this build of Linnet has only some (LINNET_OPERATORS);
  /// otherwise empty.
  const std::string& left_out() const { return left_out_; }

  /// Whether this registry is unchanged since standard_registry() returned it.
  bool standard() const { return standard_; }

  /// Loads a shared library and calls the function that it defines with LINNET_OPERATOR_LIBRARY. The library stays
  /// loaded as long as this registry or a copy lives. Throws Error(kIo) if it cannot be loaded or is not such a
  /// library, Error(kUnsupported) if it was built with headers of another LINNET_OPERATOR_VERSION.
  void load_library(const std::string& path);

  struct Rewrites;  // the engine's
  class Uses;       // the engine's

 private:
  friend LINNET_API Registry standard_registry();
  using Key = std::pair<std::string, std::string>;  // domain, op_type
  struct Registration {
    Factory factory;
    OpVersion version;
    std::string unit;  ///< see Uses::Operator
  };

  // A function rather than a lambda, so that one std::function type serves all operators.
  template <class T>
  static std::unique_ptr<Op> make(const NodeSpec& node) {
    return std::make_unique<T>(node);
  }
  const Registration& registration(const NodeSpec& node) const;

  std::vector<std::shared_ptr<void>> libraries_;  // first, so that it outlives the factories, whose code it contains
  std::map<Key, std::map<int64_t, Registration>> operators_;  // by the first opset
  std::shared_ptr<const Rewrites> rewrites_;
  std::shared_ptr<Uses> uses_;
  std::string unit_;  ///< the source of the operators that are being registered
  std::string left_out_;
  bool standard_ = false;
};

/// The version of the headers that operators are built with. A library and the Linnet that loads it must have the same.
/// Raise it with every change of what these headers declare.
#define LINNET_OPERATOR_VERSION 1

/// The entry point of a shared library of operators, once in each library:
/// `LINNET_OPERATOR_LIBRARY(registry) { registry.add<MyOp>("my_op", {1, "my_domain"}); }`
#define LINNET_OPERATOR_LIBRARY(registry)                                 \
  extern "C" LINNET_API const int linnet_operator_version;                \
  const int linnet_operator_version = LINNET_OPERATOR_VERSION;            \
  extern "C" LINNET_API void linnet_register(linnet::Registry& registry); \
  void linnet_register([[maybe_unused]] linnet::Registry& registry)

/// All operators and rewrites that Linnet comes with.
LINNET_API Registry standard_registry();

}  // namespace linnet

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// A size: a number, or the name of an axis whose size differs between runs ("" where it has none).
struct OnnxDim {
  int64_t size = -1;
  std::string symbol;
};

struct OnnxValue {
  std::string name;
  DType dtype;
  std::optional<std::vector<OnnxDim>> dims;
};

struct OnnxNode {
  OnnxOperator op;
  std::string name;
  Names inputs, outputs;
  Attributes attributes;
  std::string source;  ///< the line of the model that the node stems from
};

struct OnnxGraph {
  std::vector<OnnxValue> inputs, outputs;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> initializers;
};

/// Nodes, attributes and constants are the same; names count.
bool same_graph(const OnnxGraph& a, const OnnxGraph& b);

/// An OnnxGraph while it grows. Values are in order: each is made before it is read.
class OnnxBuilder {
 public:
  explicit OnnxBuilder(ExportOptions options) : options_(std::move(options)) {}

  const ExportOptions& options() const { return options_; }

  /// A name that nothing else has, like the wanted one.
  std::string unique(const std::string& wanted);
  /// What the next nodes are named after, and where in the model they stem from.
  void set_origin(const std::string& scope, const std::string& source);
  /// Adds a node; the result are the names of its outputs. Throws ExportError beyond a million of nodes.
  Names emit(const OnnxOperator& op, const Names& inputs, const Attributes& attributes, size_t outputs);
  /// The value as another dtype: itself where it is known to have that.
  std::string cast(const std::string& value, DType dtype);
  /// A constant; small ones with equal contents are one. `name` is used where it is new. Throws ExportError where those
  /// without a name have more than 2 GiB together.
  std::string constant(const Tensor& tensor, const std::string& name = "");
  /// A constant tensor of the model: a parameter by its name, others by their contents as they are now.
  std::string tensor(const Tensor& tensor);
  /// The tensor is a parameter of the model, or written down in its code.
  void name_tensor(const Tensor& tensor, const std::string& name);
  bool is_named(const Tensor& tensor) const { return parameters_.contains(key_of(tensor)); }
  /// The dtype of a value becomes known.
  void set_dtype(const std::string& value, DType dtype) { dtypes_.insert_or_assign(value, dtype); }

  // Trying: what was added after a mark can be looked at and taken back.
  struct Mark {
    size_t nodes, names, initializers, bodies, emitted, constant_bytes, constants;
  };
  Mark mark() const {
    return {graph_.nodes.size(), order_.size(),          graph_.initializers.size(), outer_.size(), emitted_,
            constant_bytes_,     small_constants_.size()};
  }
  /// What was added since is what another graph consists of.
  bool is_same_since(const Mark& mark, const OnnxGraph& other) const;
  /// The nodes and initializers that were added since.
  OnnxGraph take_back(const Mark& mark);

  // Bodies: nodes between begin and end form a graph of their own, which sees all values from outside.
  void begin_body();
  OnnxGraph end_body();

  OnnxGraph& graph() { return graph_; }

 private:
  ExportOptions options_;
  OnnxGraph graph_;
  std::vector<std::vector<OnnxNode>> outer_;
  std::string scope_, source_;
  std::set<std::string> used_;
  struct Used {
    std::string name, wanted;
    int before;  // the number that was next for the wanted name
  };
  std::vector<Used> order_;                    // the used names, oldest first
  std::unordered_map<std::string, int> next_;  // the least number that may be free, by wanted name
  size_t emitted_ = 0, constant_bytes_ = 0;    // nodes, those of bodies included, and constants that have no name
  std::unordered_map<std::string, DType> dtypes_;
  std::unordered_map<std::string, std::string> constants_;  // name, by contents
  std::vector<std::string> small_constants_;                // the contents, oldest first
  struct Parameter {
    Tensor tensor;  // kept, so that its address stays its own
    std::string name, value;
  };
  using ParameterKey = std::tuple<const void*, DType, std::vector<int64_t>>;
  static ParameterKey key_of(const Tensor& tensor) {
    return {tensor.address(), tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}};
  }
  std::map<ParameterKey, Parameter> parameters_;
};

/// Gives values other names where nodes, those of bodies included, make and read them.
void rename_values(OnnxGraph& graph, const std::unordered_map<std::string, std::string>& new_names);

/// Leaves out nodes and initializers that no output needs.
void remove_unused(OnnxGraph& graph);

}  // namespace linnet::exporter

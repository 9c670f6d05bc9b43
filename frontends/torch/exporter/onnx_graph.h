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

/// A size: a number, or the name of an axis whose size differs between runs ("" if it is unnamed).
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
  std::string source;  ///< the line of the model that the node comes from
};

struct OnnxGraph {
  std::vector<OnnxValue> inputs, outputs;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> initializers;
};

/// Whether nodes, attributes and constants are equal, names included.
bool same_graph(const OnnxGraph& a, const OnnxGraph& b);

/// An OnnxGraph under construction. Values are in order: each is made before it is read.
class OnnxBuilder {
 public:
  explicit OnnxBuilder(ExportOptions options) : options_(std::move(options)) {}

  const ExportOptions& options() const { return options_; }

  /// Returns an unused name similar to the wanted one.
  std::string unique(const std::string& wanted);
  /// Sets the scope that the next nodes are named after, and the source that they come from.
  void set_origin(const std::string& scope, const std::string& source);
  /// Adds a node and returns the names of its outputs. Throws ExportError beyond a million nodes.
  Names emit(const OnnxOperator& op, const Names& inputs, const Attributes& attributes, size_t outputs);
  /// Returns the value as another dtype: the value itself if it is known to have that dtype.
  std::string cast(const std::string& value, DType dtype);
  /// Returns a constant. Small constants with equal contents are shared. A new one gets `name`. Throws ExportError if
  /// the unnamed constants exceed 2 GiB together.
  std::string constant(const Tensor& tensor, const std::string& name = "");
  /// Returns a constant tensor of the model: a parameter by its name, other tensors by their present contents.
  std::string tensor(const Tensor& tensor);
  /// Declares that the tensor is a parameter of the model, or written in its code.
  void name_tensor(const Tensor& tensor, const std::string& name);
  bool is_named(const Tensor& tensor) const { return parameters_.contains(key_of(tensor)); }
  /// Records the dtype of a value.
  void set_dtype(const std::string& value, DType dtype) { dtypes_.insert_or_assign(value, dtype); }

  // Trials: what was added after a mark can be inspected and removed.
  struct Mark {
    size_t nodes, names, initializers, bodies, emitted, constant_bytes, constants;
  };
  Mark mark() const {
    return {graph_.nodes.size(), order_.size(),          graph_.initializers.size(), outer_.size(), emitted_,
            constant_bytes_,     small_constants_.size()};
  }
  /// Whether the parts added since the mark equal those of another graph.
  bool is_same_since(const Mark& mark, const OnnxGraph& other) const;
  /// Removes and returns the nodes and initializers that were added since the mark.
  OnnxGraph take_back(const Mark& mark);

  // Bodies: nodes between begin and end form a separate graph, which sees all values from outside.
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
    int before;  // the previous next number for the wanted name
  };
  std::vector<Used> order_;                    // the used names, oldest first
  std::unordered_map<std::string, int> next_;  // the least number that may be free, by wanted name
  size_t emitted_ = 0, constant_bytes_ = 0;    // nodes including those of bodies; bytes of unnamed constants
  std::unordered_map<std::string, DType> dtypes_;
  std::unordered_map<std::string, std::string> constants_;  // name by contents
  std::vector<std::string> small_constants_;                // contents, oldest first
  struct Parameter {
    Tensor tensor;  // stored so that its address stays unique
    std::string name, value;
  };
  using ParameterKey = std::tuple<const void*, DType, std::vector<int64_t>>;
  static ParameterKey key_of(const Tensor& tensor) {
    return {tensor.address(), tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}};
  }
  std::map<ParameterKey, Parameter> parameters_;
};

/// Renames values where nodes, including those of bodies, write and read them.
void rename_values(OnnxGraph& graph, const std::unordered_map<std::string, std::string>& new_names);

/// Removes nodes and initializers that no output needs.
void remove_unused(OnnxGraph& graph);

}  // namespace linnet::exporter

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// Writes a graph of standard operators of one opset; the facts of values are known immediately.
class GraphWriter {
 public:
  static constexpr int64_t kOpset = 23;  ///< of the operators in the graph

  /// `name` is the prefix of the names of values and, unless it is empty, of nodes.
  GraphWriter(std::shared_ptr<const Registry> registry, std::string name)
      : graph_(std::move(registry)), name_(std::move(name)) {}

  const Fact& fact(ValueId value) const { return graph_.fact(value); }

  ValueId input(const Fact& fact) { return graph_.add_input(fresh(), fact); }
  ValueId constant(const Tensor& value) { return graph_.add_constant(fresh(), value); }
  /// A constant vector of integers, for axes and shapes.
  ValueId ints(const std::vector<int64_t>& values);
  ValueId scalar(float value) { return constant(Tensor::scalar(value)); }
  /// Adds an operator with one output.
  ValueId op(const std::string& op_type, const std::vector<ValueId>& inputs, const Attributes& attributes = {});
  std::vector<ValueId> op(const std::string& op_type, const std::vector<ValueId>& inputs, int outputs,
                          const Attributes& attributes = {});
  /// Adds a node of any opset.
  std::vector<ValueId> node(NodeSpec spec, const std::vector<ValueId>& inputs, int outputs);
  /// x cast to the dtype; x itself if it has that dtype.
  ValueId cast(ValueId x, DType dtype) {
    return fact(x).dtype == dtype ? x : op("Cast", {x}, {{"to", int64_t(dtype)}});
  }
  ValueId transpose(ValueId x, const std::vector<int64_t>& perm) { return op("Transpose", {x}, {{"perm", perm}}); }
  /// 0 in the shape means a dim of 0.
  ValueId reshape(ValueId x, const std::vector<int64_t>& shape);
  /// 0 in the shape means the dim of x.
  ValueId reshape_keeping(ValueId x, const std::vector<int64_t>& shape) { return op("Reshape", {x, ints(shape)}); }
  /// A dim of a value as an int64 vector of one element.
  ValueId dim(ValueId x, int i);
  /// The sum of two such vectors.
  ValueId sum(ValueId a, ValueId b);
  /// The integers from 0 to the element of such a vector, exclusive: int64.
  ValueId range(ValueId limit);
  /// Adds the nodes of a body and returns its only output.
  ValueId inlined(const Graph& body, const std::vector<ValueId>& inputs);

  /// Returns the graph with these outputs. Nothing may be written afterwards.
  Graph finish(const std::vector<ValueId>& outputs);

 private:
  std::vector<ValueId> add(NodeSpec spec, const std::vector<ValueId>& inputs, const std::vector<std::string>& names);
  std::string fresh() { return name_ + "_" + std::to_string(++count_); }

  Graph graph_;
  std::string name_;
  int count_ = 0;
};

}  // namespace linnet

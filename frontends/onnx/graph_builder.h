#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check_operators.h"
#include "graph/graph.h"
#include "linnet/model.h"
#include "local_functions.h"
#include "scope.h"
#include "tensor/counted_memory.h"
#include "tensor/seeded_hash.h"
#include "tensor_reader.h"

namespace linnet {

/// Builds the engine's graph from a model: names become values, functions are inlined, and bodies get the values that
/// they capture as explicit inputs.
class GraphBuilder {
 public:
  GraphBuilder(const FunctionTable& functions, TensorReader& tensors, const ModelOptions& options);

  struct Built {
    Graph graph;
    std::vector<Tensor> defaults;                ///< contents of the overridable initializers, the graph's last inputs
    std::shared_ptr<const CountedMemory> nodes;  ///< names and attributes, counted each time functions repeat them
  };
  /// `overridable`: the initializers that become inputs. All errors name the node, input, output or initializer.
  Built build(const pb::GraphProto& proto, const OpsetImports& opsets, std::shared_ptr<const Registry> registry,
              std::span<const ValueInfo> overridable = {});

 private:
  struct Body {
    std::string attribute;
    std::unique_ptr<NestedGraph> nested;
  };

  std::vector<Tensor> add_overridable(Scope& scope, const pb::GraphProto& proto,
                                      std::span<const ValueInfo> overridable);
  void add_nodes(Scope& scope, const google::protobuf::RepeatedPtrField<pb::NodeProto>& nodes);
  void add_operator(Scope& scope, const pb::NodeProto& node);
  std::vector<Fact> declared_outputs(const Scope& scope, const pb::NodeProto& node) const;
  std::vector<ValueId> read_inputs(const Scope& scope, const pb::NodeProto& node);
  void read_attributes(const Scope& scope, const pb::NodeProto& node, NodeSpec& spec, std::vector<ValueId>& inputs);
  std::unique_ptr<NestedGraph> build_body(NestedGraph& outer, std::vector<ValueId>& captures,
                                          const ScopedAttribute& attribute, bool declared_shapes);
  void inline_call(Scope& caller, const pb::NodeProto& node, const Function& function);
  void bind_attributes(Scope& scope, const Scope& caller, const pb::NodeProto& node, const Function& function);
  std::string unique_prefix(const std::string& name);
  void count_node();

  const FunctionTable& functions_;
  TensorReader& tensors_;
  int64_t nodes_left_;
  int64_t depth_left_;
  SeededMap<std::string_view, const pb::ValueInfoProto*> outputs_;  // of the main graph
  SeededMap<std::string, int64_t> prefixes_;  // with the next number that a call of this name may get
  CountedMemory prefix_texts_;
  std::shared_ptr<CountedMemory> counted_ = std::make_shared<CountedMemory>();
};

}  // namespace linnet

#pragma once

#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "convert.h"
#include "exporter/onnx_graph.h"
#include "linnet/lowering.h"
#include "site.h"
#include "value.h"

namespace linnet::exporter::torchscript {

/// An argument of forward: its value in each evaluation and, for tensors, the model's inputs.
struct ExampleArgument {
  Value value;
  std::vector<OnnxValue> inputs;  ///< one for each tensor in it
};

/// The elements that the positions in a tensor refer to: along an axis of another tensor, or in all of it.
struct Positions {
  at::Tensor elements;
  std::optional<int64_t> axis;
};

/// A recorded ONNX value: PyTorch's tensor, and where it comes from.
struct RecordedValue {
  std::string name;
  at::Tensor tensor;
  std::string operator_name, source;
  std::optional<Positions> positions;
};

struct Trace {
  OnnxGraph graph;
  std::vector<RecordedValue> values;  ///< in order of computation, if recorded
};

/// Evaluates the TorchScript graph of `forward` node by node on example arguments. Values that depend on no input are
/// constants; for all others, a lowering rule writes ONNX nodes. Branches and loops that constants decide are walked
/// through. Several evaluations with other sizes are made together: what differs between them must follow from inputs.
/// The last ones may be tries, which PyTorch may refuse.
class Tracer {
 public:
  Tracer(const Lowerings& lowerings, const ExportOptions& options, bool record = false)
      : lowerings_(lowerings), builder_(options), record_(record), one_example_(record) {}

  /// outputs: the names of the outputs. If it is empty, they are the keys of a dict, "output", or "output_0",
  /// "output_1", ...
  /// Throws ExportError; EqualSizes and RefusedTry if other examples may help.
  Trace trace(const torch::jit::Module& module, const std::vector<ExampleArgument>& arguments, size_t tries = 0,
              const Names& outputs = {});

 private:
  using Node = torch::jit::Node;
  using Block = torch::jit::Block;
  using Handler = void (Tracer::*)(const Node& node);

  // The walk: tracer.cc
  void claim(const std::string& name);
  void name_parameters(const torch::jit::Module& module);
  void name_tensor(const at::Tensor& tensor, const std::string& name);
  bool is_named(const at::Tensor& tensor) const { return named_.contains(tensor.unsafeGetTensorImpl()); }
  /// Returns the same Tensor for a parameter wherever it is read.
  Tensor stored(const at::Tensor& tensor) const;
  void walk(const Block& block);
  void visit(const Node& node);

  // Operators: operators.cc
  void visit_operator(const Node& node);
  std::vector<Value> evaluate(const Node& node);
  std::vector<c10::IValue> evaluate(const Node& node, size_t evaluation);
  void lower(const Node& node, const std::string& operator_name, const std::vector<Value>& inputs,
             std::vector<Value>& results);
  exporter::Value seen_of(const Value& value) const;
  void check_results(const Node& node, const std::vector<Value>& results);
  void record(const Node& node, const std::vector<Value>& inputs, const std::vector<Value>& results);

  // Sizes that are not the same in every run: open_sizes.cc
  void follow_sizes(const Node& node, const std::vector<Value>& inputs, std::vector<Value>& results,
                    bool decided_by_rule);
  [[noreturn]] void refuse_equal_sizes(const Node& node, const std::string& reason) const;

  // What forward returns: outputs.cc
  void write_outputs(const Value& result, const Names& names);

  // Values of the TorchScript graph: tracer.cc
  Value& value_of(const torch::jit::Value* value) { return values_.at(value); }
  std::vector<Value> inputs_of(const Node& node) const;
  void bind(const torch::jit::Value* name, Value value);
  bool depends(const Node& node) const;
  /// Returns the ONNX value of a leaf. A constant becomes an initializer.
  std::string name_of(const Value& leaf);

  // Sizes and other facts of tensors: facts.cc
  bool fold_fact(const Node& node, const std::vector<Value>& inputs);
  void visit_size(const Node& node, const std::vector<Value>& inputs);
  Value size_value(const Value& tensor, int64_t axis);
  std::string elements_of(const Value& tensor);

  // Nodes that have no operator: structure.cc; lists and dicts: containers.cc
  static const std::unordered_map<std::string, Handler>& handlers();
  static void add_structure(std::unordered_map<std::string, Handler>& handlers);
  static void add_containers(std::unordered_map<std::string, Handler>& handlers);
  void constant(const Node& node);
  void get_attribute(const Node& node);
  void pass_through(const Node& node);
  void ignore(const Node& node);
  void message(const Node& node);
  void raise(const Node& node);
  void uninitialized(const Node& node);
  void is_instance(const Node& node);
  void pack(const Node& node);
  void pack_dict(const Node& node);
  void unpack(const Node& node);
  void tuple_index(const Node& node);
  void tuple_slice(const Node& node);
  void append(const Node& node);
  void extend(const Node& node);
  void pop(const Node& node);
  void set_item(const Node& node);
  void get_item(const Node& node);
  void list_length(const Node& node);
  void concatenate(const Node& node);
  void slice_list(const Node& node);
  void copy_list(const Node& node);
  void contains_key(const Node& node);
  void dict_values(const Node& node);
  Container& container_of(const Node& node, size_t input);
  int64_t constant_int(const Node& node, size_t input);

  // Branches and loops: control_flow.cc
  void branch(const Node& node);
  void loop(const Node& node);
  struct Body {
    OnnxGraph graph;
    std::vector<Value> results;
  };
  std::vector<at::Tensor> tensors();
  void walk_into(const Block& block, const Node& node);
  Body write_body(const Block& block, const Node& node);
  void lower_branch(const Node& node, const Value& condition);
  Value taken(const Node& node, const Value& condition, const Value& yes, const Value& no) const;
  void lower_loop(const Node& node);
  std::vector<Value> carried_into(const Node& loop) const;
  void enter_round(const Node& loop, const Value& round, const std::vector<Value>& carried);

  // The rounds of a loop: rounds.cc
  using Values = std::unordered_map<const torch::jit::Value*, Value>;
  /// The state at the begin of a round in one evaluation.
  struct Round {
    size_t evaluation;
    int64_t number;
    std::vector<c10::IValue> carried;
  };
  struct Rounds {
    std::vector<Round> all;
    size_t gone_through;  // the others, at the end, occur in no example
  };
  /// The state that the walk restores after a loop.
  struct Setting {
    Values values;
    size_t evaluations, firm, bodies;
    bool one_example;
    std::vector<at::Tensor> outside;
  };
  Setting enter_setting() const;
  void leave_setting(const Setting& setting);
  Rounds evaluate_rounds(const Node& loop, std::vector<Value>& carried);
  bool evaluate_round(const Node& loop, Round& round, bool is_try);
  OnnxGraph write_rounds(const Node& loop, Rounds rounds, std::vector<Value>& last);
  OnnxGraph write_round(const Node& loop, const Rounds& rounds, std::vector<Value>& last);
  void follow_carried(const Node& loop, const Value& entering, const Value& leaving, Value& last) const;

  // In-place operators: writes.cc
  void write(const Node& node);
  bool lies_outside(const at::Tensor& written) const;
  void replace_aliases(const Node& node, const at::Tensor& written, const std::string& name);

  const Lowerings& lowerings_;
  OnnxBuilder builder_;
  bool record_;
  bool one_example_;  // nodes only need to fit one example, or are discarded
  size_t evaluations_ = 1;
  size_t firm_ = 1;                  // evaluations that PyTorch must accept
  size_t bodies_ = 0;                // the nesting of bodies around the current node
  std::vector<at::Tensor> outside_;  // tensors that existed before the innermost body
  Values values_;
  /// A parameter of the model, or a tensor written in its code.
  struct Named {
    at::Tensor tensor;  // stored so that its address stays unique
    Tensor dense;
  };
  std::unordered_map<const void*, Named> named_;
  std::vector<RecordedValue> recorded_;
};

}  // namespace linnet::exporter::torchscript

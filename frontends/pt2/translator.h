#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporter/export_error.h"
#include "exporter/onnx_graph.h"
#include "exporter/site.h"
#include "exporter/value.h"
#include "linnet/lowering.h"
#include "program.h"
#include "sample_sizes.h"
#include "schemas.h"
#include "tensor/seeded_hash.h"

namespace linnet::pt2 {

/// Returns a required argument of a node, which must be of this kind. Throws ExportError.
template <class T>
const T& given_of(const Node& node, const std::string& argument) {
  const Argument* const given = node.input(argument);
  const T* const value = given ? given->get<T>() : nullptr;
  if (!value) throw exporter::ExportError(node.target + ": argument '" + argument + "' is not as it must be");
  return *value;
}
inline const std::string& tensor_of(const Node& node, const std::string& argument) {
  return given_of<TensorName>(node, argument).name;
}

/// Returns the sizes as a file declares them: numbers and symbols; computed sizes are unknown.
std::vector<exporter::OnnxDim> declared_dims(const TensorMeta& meta);

/// Converts a program to an ONNX graph by the exporter's rules. Throws an ExportError for what no rule covers, with the
/// operator and the line of Python that it comes from.
class Translator {
 public:
  Translator(const Program& program, std::map<std::string, Tensor> weights, const exporter::Lowerings& lowerings,
             const exporter::ExportOptions& options);

  exporter::OnnxGraph translate();

 private:
  using Value = exporter::Value;
  using Concrete = exporter::Concrete;
  using Names = exporter::Names;
  using Values = SeededMap<std::string, Value>;

  // The walk: translator.cc
  void add_inputs();
  void add_input(const InputSpec& spec);
  void walk(const Graph& graph);
  void visit(const Node& node);

  // Values: translate_values.cc
  const Value& value_of(const std::string& name);
  Value argument_of(const Argument& argument);
  Value constant(Concrete concrete) const { return {std::vector<Concrete>(samples_.size(), std::move(concrete))}; }
  /// Returns a tensor or number with the declared type and this ONNX name.
  Value tensor_value(const TensorMeta& meta, const std::string& name) const;
  Value number_value(const SymExpr& expression, const std::string& name) const;
  /// Returns the results of a node, before they have names.
  Value result_of(const Argument& output) const;
  void bind(const Argument& output, const Value& value);
  void bind(const std::string& name, const Value& value);
  std::string name_of(const Value& leaf);
  std::vector<int64_t> evaluated(const SymExpr& expression) const;

  // Calls of operators: translate_calls.cc
  void call(const Node& node);
  std::vector<Value> call(const Node& node, const std::string& operator_name, const std::vector<std::string>& names,
                          const std::vector<Value>& arguments);
  exporter::Site site_of(const Node& node, const std::string& operator_name) const;
  void visit_size(const Node& node);
  void visit_number(const Node& node, const std::string& operator_name);
  void choose(const Node& node);

  // Views and in-place operators: translate_views.cc
  /// A value that shares memory with another as long as neither is written to.
  struct View {
    std::string base;
    const Node* node;  ///< makes it from the base; nullptr if it is the base itself
    bool is_stale = false;
  };
  bool is_in_order(const TensorMeta& meta) const;
  bool shares_memory(const Node& node, const Schema& schema, const Graph& graph, const std::string& base,
                     const std::string& result) const;
  void note_views(const Node& node, const Schema& schema);
  void write(const Node& node, const Schema& schema);
  void write_to(const Node& node, const std::string& name, const Value& written);
  Value put_back(const Node& writer, const View& view, const std::string& name, const Value& written);
  void refresh(const std::string& name);
  std::string root_of(std::string name) const;

  // Bodies: translate_bodies.cc
  void call_higher_order(const Node& node);
  void branch(const Node& node);
  void loop(const Node& node);
  void scan(const Node& node, const std::vector<Argument>& carried, const std::vector<Argument>& sequences,
            const std::vector<Argument>& further);
  void inline_body(const Node& node, const Graph& body, const std::vector<Argument>& operands);
  std::vector<Value> run_body(const Graph& body, const std::vector<Value>& operands);
  std::shared_ptr<const exporter::OnnxGraph> end_body(std::vector<exporter::OnnxValue> inputs,
                                                      const std::vector<Value>& results);
  std::vector<Value> body_inputs(const Graph& body, size_t first, size_t count,
                                 std::vector<exporter::OnnxValue>& inputs);
  std::vector<Value> values_of(const std::vector<Argument>& arguments);
  void bind_results(const Node& node, const Names& names);

  // Outputs: translate_outputs.cc
  void write_outputs();
  void write_output(const OutputSpec& spec, const std::string& name, std::set<std::string>& made,
                    std::unordered_map<std::string, std::string>& new_names);
  bool is_written_in_place(const InputSpec& spec) const;
  bool is_mutated(const InputSpec& spec) const;
  std::vector<OutputSpec> written_buffers() const;
  std::set<std::string> written_in_place() const;

  const Program& program_;
  std::map<std::string, Tensor> weights_;
  const exporter::Lowerings& lowerings_;
  exporter::OnnxBuilder builder_;
  std::vector<SampleSizes> samples_;
  std::set<std::string> written_;  // values of the outermost graph whose memory operators write to
  const Graph* graph_ = nullptr;   // the graph that is being walked
  Values values_;
  std::map<std::string, View> views_;
  int refreshing_ = 0;  // nesting of views that are being made again
};

}  // namespace linnet::pt2

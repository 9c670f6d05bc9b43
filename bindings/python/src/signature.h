#pragma once

#include <string>
#include <vector>

#include "linnet/model.h"
#include "values.h"

namespace linnet::python {

/// The inputs and outputs of a model, whose values runs take and give as dicts by name.
class Signature {
 public:
  explicit Signature(const Model& model);

  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const nb::str& output_name(size_t i) const { return outputs_[i].name; }

  /// The inputs in the model's order. Those of which `left_out` says so are empty; it may be shorter than the inputs.
  /// Throws Error(kModel) for names that are missing or unknown, and what to_tensor() does.
  std::vector<Tensor> read_inputs(const nb::dict& inputs, const std::vector<bool>& left_out) const;
  /// The value of one input. Throws Error(kModel) for an unknown name, and what to_tensor() does.
  Tensor read_input(nb::handle name, nb::handle value) const;
  /// What a run was given as its inputs. Throws Error(kType), which shows a call, where it is no dict.
  nb::dict named_inputs(nb::handle inputs) const;
  /// Throws Error(kModel) for an unknown name.
  size_t input_index(nb::handle name) const;
  size_t output_index(nb::handle name) const;
  /// The caller's memory for outputs; nothing where `out` is empty. Throws what output_memory() does.
  std::vector<Tensor> output_memories(const nb::dict& out) const;

 private:
  struct Value {
    nb::str name;
    Fact fact;
    std::string what;  // "input 'x'"
  };
  static std::vector<Value> values_of(const char* side, const std::vector<ValueInfo>& infos);
  /// The names of the first `count`.
  static std::string quoted(const std::vector<Value>& values, size_t count);
  static std::string names_of(const nb::dict& inputs);
  static size_t index_of(const std::vector<Value>& values, nb::handle name, const char* side, size_t listed);
  void refuse_unknown(const nb::dict& inputs) const;

  std::vector<Value> inputs_, outputs_;  // behind the inputs those that may be left out: overridable initializers
  size_t required_;
};

}  // namespace linnet::python

#pragma once

#include <string>
#include <vector>

#include "linnet/model.h"
#include "values.h"

namespace linnet::python {

/// The inputs and outputs of a model. Runs take and return their values as dicts by name.
class Signature {
 public:
  explicit Signature(const Model& model);

  size_t input_count() const { return inputs_.size(); }
  const nb::str& output_name(size_t i) const { return outputs_[i].name; }

  /// Returns the inputs in the model's order. Those that are set in `left_out`, which may be shorter than the inputs,
  /// may be missing and are then empty. Throws Error(kModel) for names that are missing or unknown, and what
  /// to_tensor() throws.
  std::vector<Tensor> read_inputs(const nb::dict& inputs, const std::vector<bool>& left_out) const;
  /// Returns the value of one input. Throws Error(kModel) for an unknown name, and what to_tensor() throws.
  Tensor read_input(nb::handle name, nb::handle value) const;
  /// Returns the inputs of a run. If they are not a dict, throws Error(kType), whose message shows a correct call.
  nb::dict named_inputs(nb::handle inputs) const;
  /// Throws Error(kModel) for an unknown name.
  size_t input_index(nb::handle name) const;
  size_t output_index(nb::handle name) const;
  /// Returns the caller's memory for each output, or nothing if `out` is empty. Throws what output_memory() throws.
  std::vector<Tensor> output_memories(const nb::dict& out) const;

 private:
  struct Value {
    nb::str name;
    Fact fact;
    std::string what;    // for example "input 'x'"
    std::string memory;  // for example "the array for output 'y'"
  };
  static std::vector<Value> values_of(const char* side, const std::vector<ValueInfo>& infos);
  /// Returns the names of the first `count` values, quoted.
  static std::string quoted(const std::vector<Value>& values, size_t count);
  static std::string names_of(const nb::dict& inputs);
  static size_t index_of(const std::vector<Value>& values, nb::handle name, const char* side, size_t listed);
  void refuse_unknown(const nb::dict& inputs) const;

  std::vector<Value> inputs_, outputs_;  // optional inputs (overridable initializers) follow the first required_ ones
  size_t required_;
};

}  // namespace linnet::python

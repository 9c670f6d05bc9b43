#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model.h"
#include "tensors.h"

struct linnet_context : linnet::c_api::Handle<linnet_context> {
  explicit linnet_context(std::shared_ptr<const linnet::c_api::LoadedModel> loaded_in)
      : loaded(std::move(loaded_in)), context(loaded->model, loaded->context_options) {}
  /// A context with the states of another.
  explicit linnet_context(const linnet_context* forked)
      : loaded(forked->loaded), context(forked->context.fork()), states(forked->states) {}

  void forget_outputs() {
    outputs = {};
    strings.clear();
  }
  bool is_state(size_t input) const { return input < states.size() && states[input]; }

  std::shared_ptr<const linnet::c_api::LoadedModel> loaded;
  linnet::Context context;
  std::vector<bool> states;                 // whether each input is a state; may be shorter than the inputs
  std::span<const linnet::Tensor> outputs;  // the outputs of the last run; empty if it failed
  std::vector<linnet::Tensor> given;        // the caller's memory for the outputs
  std::map<size_t, linnet::c_api::StringViews> strings;  // the strings of the outputs that were requested
};

#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "handle.h"
#include "linnet/model.h"
#include "value_info.h"

namespace linnet::c_api {

/// The inputs, outputs or overridable initializers of a model. It refers to their names and facts.
struct Interface {
  Interface(const char* side_in, const std::vector<ValueInfo>& values_in);

  /// "input 'x'"
  std::string place(size_t i) const;
  size_t index(const char* name) const;
  /// Throws ArgumentError for an index that is out of range.
  void check(size_t i) const;

  const char* side;  // "input"
  const std::vector<ValueInfo>& values;
  std::vector<FactInfo> infos;
};

/// What a model's handle and its contexts share.
struct LoadedModel {
  LoadedModel(Model model_in, ContextOptions context_options_in, std::shared_ptr<std::pmr::memory_resource> memory_in);

  Model model;
  std::shared_ptr<std::pmr::memory_resource> memory;  // the memory of contexts; nullptr: the heap
  ContextOptions context_options;
  Interface inputs, outputs, overridable;
  std::vector<const char*> property_keys, property_values;
};

}  // namespace linnet::c_api

struct linnet_model : linnet::c_api::Handle<linnet_model> {
  explicit linnet_model(std::shared_ptr<const linnet::c_api::LoadedModel> loaded_in) : loaded(std::move(loaded_in)) {}

  std::shared_ptr<const linnet::c_api::LoadedModel> loaded;
};

#include "model.h"

#include "linnet/did_you_mean.h"
#include "tensors.h"

namespace linnet::c_api {

Interface::Interface(const char* side_in, const std::vector<ValueInfo>& values_in) : side(side_in), values(values_in) {
  for (const ValueInfo& value : values) infos.emplace_back(value.name.c_str(), value.fact);
}

std::string Interface::place(size_t i) const { return str(side, " '", values[i].name, "'"); }

size_t Interface::index(const char* name) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](const ValueInfo& v) { return v.name == name; });
  if (found != values.end()) return size_t(found - values.begin());
  std::string names;
  for (const ValueInfo& value : values) names += str(names.empty() ? "'" : ", '", value.name, "'");
  throw Error(ErrorKind::kModel,
              str("there is no ", side, " '", name, "'; the ", side, "s are ", names, did_you_mean(name, values)));
}

void Interface::check(size_t i) const {
  if (i >= values.size()) throw ArgumentError(str("there is no ", side, " ", i, " of ", values.size()));
}

LoadedModel::LoadedModel(Model model_in, ContextOptions context_options_in,
                         std::shared_ptr<std::pmr::memory_resource> memory_in)
    : model(std::move(model_in)),
      memory(std::move(memory_in)),
      context_options(std::move(context_options_in)),
      inputs("input", model.inputs()),
      outputs("output", model.outputs()),
      overridable("overridable initializer", model.metadata().overridable) {
  context_options.memory = memory.get();
  for (const auto& [key, value] : model.metadata().properties) {
    property_keys.push_back(key.c_str());
    property_values.push_back(value.c_str());
  }
}

namespace {

linnet_status count(const linnet_model* model, Interface LoadedModel::*side, size_t* count) {
  return guarded([&] { result(count, "count") = (valid(model, "model").loaded.get()->*side).values.size(); });
}

linnet_status describe(const linnet_model* model, Interface LoadedModel::*side, size_t index, linnet_value_info* info) {
  return guarded([&] {
    const Interface& interface = valid(model, "model").loaded.get()->*side;
    linnet_value_info& described = result(info, "info");
    interface.check(index);
    described = interface.infos[index].info();
  });
}

linnet_status find(const linnet_model* model, Interface LoadedModel::*side, const char* name, size_t* index) {
  return guarded([&] {
    const Interface& interface = valid(model, "model").loaded.get()->*side;
    require(name, "name is NULL");
    result(index, "index") = interface.index(name);
  });
}

linnet_metadata metadata_of(const LoadedModel& loaded) {
  const ModelMetadata& m = loaded.model.metadata();
  return {m.producer_name.c_str(),     m.producer_version.c_str(),   m.domain.c_str(), m.description.c_str(),
          m.graph_name.c_str(),        m.graph_description.c_str(),  m.version,        loaded.property_keys.size(),
          loaded.property_keys.data(), loaded.property_values.data()};
}

std::map<std::string, Tensor> read_weights(const char* const* names, const linnet_tensor* weights, size_t count) {
  require((names && weights) || count == 0, "names or weights is NULL");
  std::map<std::string, Tensor> read;
  for (size_t i = 0; i < count; ++i) {
    require(names[i], "a name is NULL");
    with_place(str("initializer '", names[i], "'"), [&] { read[names[i]] = copy_tensor(weights[i]); });
  }
  return read;
}

}  // namespace
}  // namespace linnet::c_api

using namespace linnet::c_api;

linnet_status linnet_model_with_weights(const linnet_model* model, const char* const* names,
                                        const linnet_tensor* weights, size_t count, linnet_model** replaced) {
  return create_handle(replaced, "replaced", [&] {
    const LoadedModel& loaded = *valid(model, "model").loaded;
    return new linnet_model(std::make_shared<const LoadedModel>(
        loaded.model.with_weights(read_weights(names, weights, count)), loaded.context_options, loaded.memory));
  });
}

linnet_status linnet_model_free(linnet_model* model) { return free_handle(model, "model"); }

linnet_status linnet_model_input_count(const linnet_model* model, size_t* count_out) {
  return count(model, &LoadedModel::inputs, count_out);
}
linnet_status linnet_model_output_count(const linnet_model* model, size_t* count_out) {
  return count(model, &LoadedModel::outputs, count_out);
}
linnet_status linnet_model_overridable_count(const linnet_model* model, size_t* count_out) {
  return count(model, &LoadedModel::overridable, count_out);
}
linnet_status linnet_model_input(const linnet_model* model, size_t index, linnet_value_info* info) {
  return describe(model, &LoadedModel::inputs, index, info);
}
linnet_status linnet_model_output(const linnet_model* model, size_t index, linnet_value_info* info) {
  return describe(model, &LoadedModel::outputs, index, info);
}
linnet_status linnet_model_overridable(const linnet_model* model, size_t index, linnet_value_info* info) {
  return describe(model, &LoadedModel::overridable, index, info);
}
linnet_status linnet_model_input_index(const linnet_model* model, const char* name, size_t* index) {
  return find(model, &LoadedModel::inputs, name, index);
}
linnet_status linnet_model_output_index(const linnet_model* model, const char* name, size_t* index) {
  return find(model, &LoadedModel::outputs, name, index);
}
linnet_status linnet_model_overridable_index(const linnet_model* model, const char* name, size_t* index) {
  return find(model, &LoadedModel::overridable, name, index);
}
linnet_status linnet_model_metadata(const linnet_model* model, linnet_metadata* metadata) {
  return guarded([&] { result(metadata, "metadata") = metadata_of(*valid(model, "model").loaded); });
}

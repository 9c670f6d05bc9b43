#include "compare/against.h"

#include <algorithm>
#include <numeric>

#include "command/failure.h"
#include "command/session.h"
#include "compare/run_once.h"

namespace linnet::tool {
namespace {

ModelFlags with_path(ModelFlags flags, const std::string& path) {
  flags.path = path;
  return flags;
}

std::string names_of(const std::vector<ValueInfo>& values) {
  std::string text;
  for (const ValueInfo& value : values) text += (text.empty() ? "" : ", ") + value.name;
  return text.empty() ? "none" : text;
}

/// For each of `from`, the index of its counterpart in `to`.
std::vector<size_t> counterparts(const std::vector<ValueInfo>& from, const std::vector<ValueInfo>& to,
                                 const std::string& what) {
  if (from.size() != to.size()) {
    throw Failure(ExitCode::kUsage,
                  str("--against: the models have different ", what, ": ", names_of(from), "; ", names_of(to)));
  }
  std::vector<size_t> places;
  for (const ValueInfo& value : from) {
    const auto same = std::ranges::find(to, value.name, &ValueInfo::name);
    if (same != to.end()) places.push_back(size_t(same - to.begin()));
  }
  if (places.size() < from.size()) {
    places.resize(from.size());
    std::iota(places.begin(), places.end(), size_t{0});
  }
  return places;
}

}  // namespace

OtherForm::OtherForm(const Model& model, const ModelFlags& flags, const std::string& path)
    : flags_(with_path(flags, path)),
      other_(load_model(flags_)),
      inputs_(counterparts(other_.inputs(), model.inputs(), "inputs")),
      outputs_(counterparts(model.outputs(), other_.outputs(), "outputs")) {}

std::vector<Tensor> OtherForm::inputs(const std::vector<Tensor>& of_model) const {
  std::vector<Tensor> inputs;
  for (const size_t place : inputs_) inputs.push_back(of_model[place]);
  return inputs;
}

std::vector<Tensor> OtherForm::run(const std::vector<Tensor>& inputs_of_model) const {
  try {
    const std::vector<Tensor> outputs = run_once(other_, flags_, inputs(inputs_of_model));
    std::vector<Tensor> result;
    for (const size_t place : outputs_) result.push_back(outputs[place]);
    return result;
  } catch (const Error& error) {
    throw Failure(error.kind() == ErrorKind::kLimit ? ExitCode::kLimit : ExitCode::kRun,
                  flags_.path + ": " + error.message());
  }
}

}  // namespace linnet::tool

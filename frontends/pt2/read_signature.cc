#include <algorithm>
#include <iterator>
#include <span>

#include "program_reader.h"

namespace linnet::pt2 {

namespace {

/// The JSON form of a kind of inputs or outputs. `target` is the member with the name of what it refers to, if any.
template <class Kind>
struct SpecForm {
  std::string_view key;
  Kind kind;
  const char* target;
};

using In = InputSpec::Kind;
constexpr SpecForm<In> kInputForms[] = {
    {"user_input", In::kUserInput, nullptr},
    {"parameter", In::kParameter, "parameter_name"},
    {"buffer", In::kBuffer, "buffer_name"},
    {"tensor_constant", In::kTensorConstant, "tensor_constant_name"},
    {"custom_obj", In::kCustomObject, "custom_obj_name"},
    {"token", In::kToken, nullptr},
    {"constant_input", In::kConstantInput, "name"},
};

using Out = OutputSpec::Kind;
constexpr SpecForm<Out> kOutputForms[] = {
    {"user_output", Out::kUserOutput, nullptr},
    {"loss_output", Out::kLossOutput, nullptr},
    {"buffer_mutation", Out::kBufferMutation, "buffer_name"},
    {"parameter_mutation", Out::kParameterMutation, "parameter_name"},
    {"user_input_mutation", Out::kUserInputMutation, "user_input_name"},
    {"gradient_to_parameter", Out::kGradientToParameter, "parameter_name"},
    {"gradient_to_user_input", Out::kGradientToUserInput, "user_input_name"},
    {"token", Out::kToken, nullptr},
};

template <class Kind>
const SpecForm<Kind>& form_of(std::span<const SpecForm<Kind>> forms, std::string_view key, JsonRef json) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const auto& form) { return form.key == key; });
  if (found == forms.end()) {
    json.fail(str("'", key, "' is unknown; save the program with an older PyTorch"), ErrorKind::kUnsupported);
  }
  return *found;
}

}  // namespace

InputSpec ProgramReader::input_spec(JsonRef json) {
  const auto [key, value] = json.only_member();
  const SpecForm<In>& form = form_of<In>(kInputForms, key, json);
  InputSpec spec{.kind = form.kind};
  if (form.target) spec.target = value.at(form.target).text();
  if (form.kind == In::kUserInput) {
    spec.argument = argument(value.at("arg"));
  } else if (form.kind == In::kConstantInput) {
    spec.argument = argument(value.at("value"));
  } else if (form.kind == In::kCustomObject) {
    spec.argument = {read_custom_object(value.at("arg"))};
  } else {
    spec.argument = {read_tensor_name(value.at("arg"))};
  }
  if (form.kind == In::kBuffer) {
    const auto persistent = value.find("persistent");
    spec.persistent = !persistent || persistent->boolean();
  }
  return spec;
}

OutputSpec ProgramReader::output_spec(JsonRef json) {
  const auto [key, value] = json.only_member();
  const SpecForm<Out>& form = form_of<Out>(kOutputForms, key, json);
  OutputSpec spec{.kind = form.kind};
  if (form.target) spec.target = value.at(form.target).text();
  const JsonRef name = value.at("arg");
  spec.argument = form.kind == Out::kUserOutput ? argument(name) : Argument{read_tensor_name(name)};
  return spec;
}

}  // namespace linnet::pt2

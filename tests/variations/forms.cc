#include "forms.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr Limits kLimits{
    .file_bytes = 1 << 20, .nodes = 10'000, .depth = 16, .memory_bytes = int64_t{256} << 20, .deadline_ms = 1000};

bool can_be_constant(const CaseInput& input) {
  return !input.name.empty() && !input.shape && !is_container(input.value.dtype());
}

bool is_constant(const Form& form, size_t input) { return (form.constants >> input & 1) != 0; }

void add_constant(pb::GraphProto& graph, const CaseInput& input) {
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(input.name);
  tensor.set_data_type(int32_t(input.value.dtype()));
  for (const int64_t dim : input.value.shape()) tensor.add_dims(dim);
  if (input.value.dtype() == DType::kString) {
    for (const std::string& text : input.value.values<std::string>()) tensor.add_string_data(text);
  } else {
    tensor.set_raw_data(std::string(static_cast<const char*>(input.value.raw()), input.value.bytes()));
  }
}

void add_given(pb::GraphProto& graph, const CaseInput& input, bool with_shape) {
  pb::ValueInfoProto& info = *graph.add_input();
  info.set_name(input.name);
  if (is_container(input.value.dtype())) {
    *info.mutable_type() = input.type;
    return;
  }
  const Shape& shape = input.shape ? *input.shape : input.value.shape();
  testing::set_type(info, int32_t(input.value.dtype()), {shape.begin(), shape.end()});
  if (!with_shape) info.mutable_type()->mutable_tensor_type()->clear_shape();
}

/// Returns every value that is an input of the run.
std::vector<const CaseInput*> given(const Case& node, const Form& form) {
  std::vector<const CaseInput*> result;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const CaseInput& input = node.inputs[i];
    const auto same = [&](const CaseInput* other) { return other->name == input.name; };
    if (input.name.empty() || is_constant(form, i) || std::any_of(result.begin(), result.end(), same)) continue;
    result.push_back(&input);
  }
  return result;
}

pb::ModelProto model_of(const Case& node, const Form& form) {
  pb::ModelProto model = node.model;
  pb::GraphProto& graph = *model.mutable_graph();
  for (const CaseInput* input : given(node, form)) add_given(graph, *input, !form.as_written);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (is_constant(form, i)) add_constant(graph, node.inputs[i]);
  }
  return model;
}

void run(const Case& node, const Form& form, const Registry& registry) {
  static const std::shared_ptr<Executor> executor = make_serial_executor();
  ModelOptions options{.optimization = form.as_written ? 0 : 2, .limits = kLimits, .executor = executor};
  options.guard_memory = !form.as_written;  // Sanitizers do not detect writes between values of an arena.
  const std::string bytes = model_of(node, form).SerializeAsString();
  Context context(load_onnx_bytes(std::as_bytes(std::span(bytes)), {}, options, registry),
                  {.executor = executor, .limits = kLimits, .seed = 1});
  std::vector<Tensor> values;
  std::vector<Shape> shapes;
  bool too_large = false;
  for (const CaseInput* input : given(node, form)) {
    values.push_back(input->value);
    shapes.push_back(input->shape ? *input->shape : input->value.shape());
    too_large |= input->shape.has_value();
  }
  if (too_large) return context.prepare(shapes);
  context.run(values);
}

void add_form(std::vector<Form>& forms, const Form& form) {
  const auto same = [&](const Form& other) {
    return other.constants == form.constants && other.as_written == form.as_written;
  };
  if (std::none_of(forms.begin(), forms.end(), same)) forms.push_back(form);
}

/// Whether the error is a bug, or is about memory that was not counted before the system refused it.
bool is_wrong(const Error& error) {
  return error.kind() == ErrorKind::kInternal || error.message().find("not enough memory to") != std::string::npos;
}

}  // namespace

std::vector<Form> forms(const Case& node) {
  uint64_t all = 0;
  for (size_t i = 0; i < std::min<size_t>(node.inputs.size(), 64); ++i) {
    if (can_be_constant(node.inputs[i])) all |= uint64_t{1} << i;
  }
  const uint64_t varied = node.varied < 0 || node.varied > 63 ? 0 : uint64_t{1} << node.varied;
  std::vector<Form> result{{"given"}, {"given, as written", 0, true}};
  add_form(result, {"constant", all});
  add_form(result, {"weights", all & ~uint64_t{1}});
  if (varied != 0) {
    add_form(result, {"constant itself", all & varied});
    add_form(result, {"among constants", all & ~varied});
  }
  return result;
}

Answer ask(const Case& node, const Form& form, const Registry& registry) {
  try {
    run(node, form, registry);
    return {.result = true, .message = {}, .wrong = {}};
  } catch (const Error& error) {
    return {.result = false, .message = error.message(), .wrong = is_wrong(error) ? error.message() : std::string()};
  } catch (const std::exception& error) {
    return {.result = false, .message = {}, .wrong = str("an exception that is no linnet::Error: ", error.what())};
  }
}

}  // namespace linnet

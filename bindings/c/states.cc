#include "context.h"

using namespace linnet;
using namespace linnet::c_api;

namespace {

const std::string& name_of(const Interface& interface, size_t index) {
  interface.check(index);
  return interface.values[index].name;
}

/// The list that contains the input, or overridable initializer (numbered after the inputs), and its index there.
std::pair<const Interface&, size_t> place_of(const linnet_context& context, size_t input) {
  const LoadedModel& loaded = *context.loaded;
  const size_t inputs = loaded.inputs.values.size();
  if (input < inputs || loaded.overridable.values.empty()) return {loaded.inputs, input};
  return {loaded.overridable, input - inputs};
}

const std::string& input_name(const linnet_context& context, size_t input) {
  const auto [interface, index] = place_of(context, input);
  return name_of(interface, index);
}

/// The given value as a tensor; an empty one, for the value in the file, if its dtype is LINNET_UNDEFINED.
Tensor read_state(const linnet_context& context, size_t input, const linnet_tensor* value, const char* name) {
  const linnet_tensor& given = result(value, name);
  if (given.dtype == LINNET_UNDEFINED) return {};
  const auto [interface, index] = place_of(context, input);
  Tensor tensor;
  with_place(interface.place(index), [&] { tensor = read_tensor(given); });
  return tensor;
}

}  // namespace

linnet_status linnet_context_bind_state(linnet_context* context, size_t output, size_t input,
                                        const linnet_tensor* initial, int64_t capacity) {
  return guarded([&] {
    linnet_context& c = valid(context, "context");
    const std::string &from = name_of(c.loaded->outputs, output), &to = input_name(c, input);
    c.forget_outputs();
    c.context.bind_state(from, to, read_state(c, input, initial, "initial"), capacity);
    c.states.resize(c.loaded->inputs.values.size() + c.loaded->overridable.values.size());
    c.states[input] = true;
  });
}

linnet_status linnet_context_state(linnet_context* context, size_t input, linnet_tensor* state) {
  return guarded([&] {
    linnet_context& c = valid(context, "context");
    linnet_tensor& view = result(state, "state");
    view = view_numbers(c.context.state(input_name(c, input)));
  });
}

linnet_status linnet_context_set_state(linnet_context* context, size_t input, const linnet_tensor* value) {
  return guarded([&] {
    linnet_context& c = valid(context, "context");
    const std::string& name = input_name(c, input);
    c.context.set_state(name, read_state(c, input, value, "value"));
  });
}

linnet_status linnet_context_truncate_states(linnet_context* context, int64_t length) {
  return guarded([&] { valid(context, "context").context.truncate_states(length); });
}

linnet_status linnet_context_reset_states(linnet_context* context) {
  return guarded([&] { valid(context, "context").context.reset_states(); });
}

linnet_status linnet_context_fork(const linnet_context* context, linnet_context** fork) {
  return create_handle(fork, "fork", [&] { return new linnet_context(&valid(context, "context")); });
}

#include "context.h"

#include <chrono>

#include "callbacks.h"
#include "cancellation.h"
#include "options.h"

using namespace linnet;
using namespace linnet::c_api;

namespace {

/// Calls f(i) for each value; errors begin with "input 'x': ".
template <class F>
void for_each_value(const Interface& interface, size_t count, F&& f) {
  for (size_t i = 0; i < count; ++i) with_place(interface.place(i), [&] { f(i); });
}

void check_count(const LoadedModel& loaded, size_t count, size_t most) {
  const size_t least = loaded.inputs.values.size();
  if (count >= least && count <= most) return;
  const std::string more = most > least ? str(" and up to ", most - least, " overridable initializers") : "";
  throw Error(ErrorKind::kModel, str("expected ", least, " inputs", more, ", got ", count));
}

size_t most_inputs(const LoadedModel& loaded) {
  const bool open = loaded.model.options().overridable_initializers;
  return loaded.inputs.values.size() + (open ? loaded.overridable.values.size() : 0);
}

std::vector<Tensor> read_inputs(const linnet_context& context, const linnet_tensor* inputs, size_t count) {
  const LoadedModel& loaded = *context.loaded;
  require(inputs || count == 0, "inputs is NULL");
  check_count(loaded, count, most_inputs(loaded));
  const size_t required = loaded.inputs.values.size();
  std::vector<Tensor> tensors(count);
  for_each_value(loaded.inputs, required, [&](size_t i) {
    const bool left_out = context.is_state(i) && inputs[i].dtype == LINNET_UNDEFINED;
    if (!left_out) tensors[i] = read_tensor(inputs[i]);
  });
  for_each_value(loaded.overridable, count - required, [&](size_t i) {
    const linnet_tensor& given = inputs[required + i];
    if (given.dtype != LINNET_UNDEFINED) tensors[required + i] = read_tensor(given);
  });
  return tensors;
}

std::vector<Tensor> wrap_outputs(const Interface& interface, const linnet_run_options& options) {
  require(options.outputs || options.output_count == 0, "options->outputs is NULL");
  if (options.output_count > interface.values.size()) {
    throw Error(ErrorKind::kModel, str("memory for ", options.output_count, " outputs, of ", interface.values.size()));
  }
  std::vector<Tensor> tensors(options.output_count);
  for_each_value(interface, tensors.size(), [&](size_t i) {
    if (options.outputs[i].dtype != LINNET_UNDEFINED) tensors[i] = wrap_memory(options.outputs[i]);
  });
  return tensors;
}

/// Throws if given memory overlaps outputs that the context wrote in the last run, because it may write another output
/// there.
void refuse_memory_of_context(const linnet_context& context, const std::vector<Tensor>& given) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    if (i < context.given.size() && context.given[i]) continue;
    for_each_value(context.loaded->outputs, given.size(), [&](size_t j) {
      require(!overlap(given[j], context.outputs[i]), "the memory for it is the context's");
    });
  }
}

std::chrono::steady_clock::time_point deadline_of(int64_t ms) {
  require(ms >= 0, "options->deadline_ms is below 0");
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds left(ms);
  return ms > 0 && left < kNoDeadline - now ? now + left : kNoDeadline;
}

void run(linnet_context& context, std::span<const Tensor> inputs, const linnet_run_options& options) {
  RunOptions run_options;
  if (options.cancellation) run_options.cancellation = valid(options.cancellation, "options->cancellation").token;
  run_options.deadline = deadline_of(options.deadline_ms);
  run_options.observer = observer_of(options);
  run_options.outputs = wrap_outputs(context.loaded->outputs, options);
  refuse_memory_of_context(context, run_options.outputs);
  context.forget_outputs();
  context.outputs = context.context.run(inputs, run_options);
  context.given = std::move(run_options.outputs);
}

linnet_tensor show(linnet_context& context, size_t index) {
  if (context.outputs.empty())
    throw ArgumentError("the context has no outputs: it has not run yet, or its last run failed");
  if (index >= context.outputs.size())
    throw ArgumentError(str("there is no output ", index, " of ", context.outputs.size()));
  const Tensor& output = context.outputs[index];
  if (!output) return {};  // a state
  if (is_container(output.dtype())) {
    throw Error(ErrorKind::kUnsupported,
                str(context.loaded->outputs.place(index), " is not a tensor: ", describe(output)));
  }
  if (output.dtype() != DType::kString) return view_numbers(output);
  return context.strings.try_emplace(index, output).first->second.view(output);
}

}  // namespace

linnet_status linnet_context_create(const linnet_model* model, linnet_context** context) {
  return create_handle(context, "context", [&] { return new linnet_context(valid(model, "model").loaded); });
}

linnet_status linnet_context_free(linnet_context* context) { return free_handle(context, "context"); }

linnet_status linnet_context_prepare(linnet_context* context, const linnet_tensor* inputs, size_t count) {
  return guarded([&] {
    linnet_context& c = valid(context, "context");
    require(inputs || count == 0, "inputs is NULL");
    check_count(*c.loaded, count, c.loaded->inputs.values.size());
    std::vector<Shape> shapes;
    for_each_value(c.loaded->inputs, count,
                   [&](size_t i) { shapes.push_back(shape_of(inputs[i].rank, inputs[i].dims)); });
    c.forget_outputs();
    c.context.prepare(shapes);
  });
}

linnet_status linnet_context_run(linnet_context* context, const linnet_tensor* inputs, size_t count,
                                 const linnet_run_options* options) {
  return guarded([&] {
    linnet_context& c = valid(context, "context");
    const linnet_run_options checked = read_sized(options, offsetof(linnet_run_options, deadline_ms), "options");
    run(c, read_inputs(c, inputs, count), checked);
  });
}

linnet_status linnet_context_output(linnet_context* context, size_t index, linnet_tensor* output) {
  return guarded([&] { result(output, "output") = show(valid(context, "context"), index); });
}

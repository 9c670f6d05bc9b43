#include "run.h"

#include <algorithm>

#include "check_inputs.h"
#include "dtypes.h"
#include "lora_adapter.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

bool overlaps_any(const Tensor& tensor, std::span<const Tensor> others) {
  return std::any_of(others.begin(), others.end(), [&](const Tensor& other) { return overlap(tensor, other); });
}

bool cuts_any(const Tensor& tensor, std::span<const Tensor> inputs) {
  return std::ranges::any_of(inputs, [&](const Tensor& input) { return overlap_in_part(tensor, input); });
}

std::vector<size_t> output_places(const SessionState& session, std::span<const char* const> names) {
  require(!names.empty(), "At least one output should be requested.");
  std::vector<size_t> places;
  for (const char* name : names) {
    require(name && *name, "output name cannot be empty");
    const std::optional<size_t> place = session.outputs().find(name);
    if (!place) throw Failure(kInvalidArgument, str("Invalid output name: ", name));
    places.push_back(*place);
  }
  return places;
}

/// Returns the memory of the caller that the run can write to directly. It must hold numbers, must be that of exactly
/// one input or not overlap inputs, and must not overlap other outputs.
std::vector<Tensor> direct_memory(const SessionState& session, std::span<const size_t> places,
                                  std::span<Value* const> given, std::span<const Tensor> inputs) {
  std::vector<Tensor> memory;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!given[i]) continue;
    check_value("output", session.outputs().values[places[i]], *given[i]);
    const Tensor& tensor = given[i]->tensor;
    if (!tensor || is_object(tensor.dtype()) || cuts_any(tensor, inputs) || overlaps_any(tensor, memory)) continue;
    memory.resize(std::max(memory.size(), places[i] + 1));
    if (!memory[places[i]]) memory[places[i]] = tensor;
  }
  return memory;
}

/// Writes a result into the value that the caller gave for it.
void store(const Tensor& result, Value& given, const std::string& name) {
  if (given.tensor && !is_container(given.tensor.dtype())) {
    if (!(given.tensor.shape() == result.shape())) {
      throw Failure(
          kInvalidArgument,
          str("The output OrtValue provided for output '", name, "' has shape ", shape_text(given.tensor.shape()),
              " but the computed output shape for this run is ", shape_text(result.shape())));
    }
    if (given.tensor.address() != result.address()) copy_elements(result, given.tensor);
  } else {
    given.tensor = result;
  }
}

/// Returns an output as callers see it: the value of an optional, in memory that is shared with no input and no weight.
Tensor own(const Tensor& result, const ValueInfo& info, std::span<const Tensor> inputs) {
  if (result && result.dtype() == DType::kOptional) return result.values<Optional>()[0].value;
  const bool shared = info.fact.constant || overlaps_any(result, inputs);
  return shared ? result.clone() : result;
}

/// Converts Linnet's "Add 'sum' (opset 17): text" to ONNX Runtime's wording.
std::string node_message(const std::string& message) {
  const std::string head = "Non-zero status code returned while running ";
  const size_t name = message.find(" '"), opset = message.find("' (opset "), text = message.find("): ");
  const bool names_node = name < opset && opset < text && text != std::string::npos;
  if (!names_node) return head + message;
  return str(head, message.substr(0, name), " node. Name:'", message.substr(name + 2, opset - name - 2),
             "' Status Message: ", message.substr(text + 3));
}

/// Converts Linnet's "output 'z' is float32[2,3], the memory for it is float32[3,3]" to ONNX Runtime's wording. Returns
/// an empty text for other messages.
std::string given_message(const std::string& message) {
  const size_t is = message.find("' is "), memory = message.find(", the memory for it is ");
  if (is == std::string::npos || memory == std::string::npos) return {};
  const auto braced = [](std::string shape) {
    shape.erase(0, shape.find('['));
    std::replace(shape.begin(), shape.end(), '[', '{');
    std::replace(shape.begin(), shape.end(), ']', '}');
    return shape;
  };
  return str("The output OrtValue provided for ", message.substr(0, is + 1), " has shape ",
             braced(message.substr(memory)), " but the computed output shape for this run is ",
             braced(message.substr(is, memory - is)));
}

Failure run_failure(const Error& error) {
  if (error.kind() == ErrorKind::kCancelled) return {kFail, "Exiting due to terminate flag being set to true."};
  const std::string given = given_message(error.message());
  if (!given.empty()) return {kInvalidArgument, given};
  return {error.kind() == ErrorKind::kUnsupported ? kNotImplemented : kFail, node_message(error.message())};
}

void check_options(const RunOptions* options) {
  if (!options || options->log_severity <= kFatal) return;
  throw Failure(kFail, str("Invalid run log severity level. Not a valid value: ", options->log_severity));
}

/// Logs a failure according to the session and the options of the run.
void log_failure(const SessionState& session, const RunOptions* options, const std::string& message) {
  Logger logger = session.logger();
  if (options && options->log_severity >= 0) logger.severity = LoggingLevel(options->log_severity);
  if (options && !options->tag.empty()) logger.id += str(":", options->tag);
  logger.log(kError, "linnet:Run", message);
}

std::vector<Tensor> computed(SessionState& session, const RunOptions* options, std::span<const Tensor> inputs,
                             std::vector<Tensor> memory) {
  check_options(options);
  try {
    return session.run(inputs, options, std::move(memory));
  } catch (const Error& error) {
    const Failure failure = run_failure(error);
    log_failure(session, options, failure.what());
    throw failure;
  } catch (const ClientFailure& failure) {
    log_failure(session, options, failure.message);
    throw;
  }
}

}  // namespace

RunCall run_call(const char* const* input_names, const Value* const* inputs, size_t input_count,
                 const char* const* output_names, size_t output_count, Value** outputs) {
  require((input_names && inputs) || input_count == 0, "input names and values must not be NULL");
  require((output_names && outputs) || output_count == 0, "output names and values must not be NULL");
  return {{input_names, input_count}, {inputs, input_count}, {output_names, output_count}, {outputs, output_count}};
}

void run(SessionState& session, const RunOptions* options, const RunCall& call) {
  const std::vector<Tensor> inputs = checked_inputs(session, call.input_names, call.inputs);
  const std::vector<size_t> places = output_places(session, call.output_names);
  const std::vector<Tensor> results =
      computed(session, options, inputs, direct_memory(session, places, call.outputs, inputs));
  std::vector<std::unique_ptr<Value>> created(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const ValueInfo& info = session.outputs().values[places[i]];
    const Tensor result = own(results[places[i]], info, inputs);
    const bool again =
        std::find(places.begin(), places.begin() + ptrdiff_t(i), places[i]) != places.begin() + ptrdiff_t(i);
    if (call.outputs[i]) {
      store(result, *call.outputs[i], info.name);
    } else {
      created[i] = std::make_unique<Value>(Value{again ? result.clone() : result, info.fact});
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (created[i]) call.outputs[i] = created[i].release();
  }
}

Status* Run(Session* session, const RunOptions* options, const char* const* input_names, const Value* const* inputs,
            size_t input_count, const char* const* output_names, size_t output_count, Value** outputs) noexcept {
  return guarded([&] {
    if (valid(session, "session").editing) throw Failure(kFail, "Session not initialized.");
    RunCall call = run_call(input_names, inputs, input_count, output_names, output_count, outputs);
    const InputsWithAdapters all(call, options);
    call.input_names = all.names;
    call.inputs = all.values;
    run(*session->state, options, call);
  });
}

}  // namespace linnet::ort

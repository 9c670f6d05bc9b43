// Values that are bound to the names of inputs and outputs before a run.
#include <algorithm>
#include <cstring>

#include "check_inputs.h"
#include "run.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct IoBinding {
  struct Bound {
    std::string name;
    Value value;  ///< empty for an output that the run allocates, until it has run
  };

  std::shared_ptr<SessionState> session;
  std::vector<Bound> inputs, outputs;
};

namespace {

using Bound = IoBinding::Bound;

/// Returns the entry of that name. Adds it at the end if it is new.
Bound& bound(std::vector<Bound>& all, const char* name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Bound& one) { return one.name == name; });
  return found != all.end() ? *found : all.emplace_back(Bound{name, {}});
}

struct Arrays {
  explicit Arrays(std::vector<Bound>& all) {
    for (Bound& one : all) {
      names.push_back(one.name.c_str());
      const bool is_empty = !one.value.tensor && !one.value.sparse;
      values.push_back(is_empty ? nullptr : &one.value);
    }
  }
  std::vector<const char*> names;
  std::vector<Value*> values;
};

void run_bound(SessionState& session, const RunOptions* options, IoBinding& binding) {
  require(!binding.outputs.empty(), "At least one output should be requested.");
  const Arrays inputs(binding.inputs);
  Arrays outputs(binding.outputs);
  const std::vector<Value*> before = outputs.values;
  const std::vector<const Value*> given(inputs.values.begin(), inputs.values.end());
  run(session, options, {inputs.names, given, outputs.names, outputs.values});
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i]) continue;
    const std::unique_ptr<Value> created(outputs.values[i]);
    binding.outputs[i].value = std::move(*created);
  }
}

}  // namespace

Status* CreateIoBinding(Session* session, IoBinding** created) noexcept {
  return create(created, [&] { return new IoBinding{valid(session, "session").state, {}, {}}; });
}

void ReleaseIoBinding(IoBinding* binding) noexcept { delete binding; }

Status* BindInput(IoBinding* binding, const char* name, const Value* value) noexcept {
  return guarded([&] {
    IoBinding& changed = valid(binding, "binding_ptr");
    const bool known = changed.session->inputs().find(copied_text(name)) || changed.session->overridable().find(name);
    if (!known) throw Failure(kFail, str("Failed to find input name in the mapping: ", name));
    const Value& given = valid(value, "val_ptr");
    bound(changed.inputs, name).value = given;
  });
}

Status* BindOutput(IoBinding* binding, const char* name, const Value* value) noexcept {
  return guarded([&] {
    IoBinding& changed = valid(binding, "binding_ptr");
    const Value& given = valid(value, "val_ptr");
    bound(changed.outputs, copied_text(name)).value = given;
  });
}

Status* BindOutputToDevice(IoBinding* binding, const char* name, const MemoryInfo* memory) noexcept {
  return guarded([&] {
    IoBinding& changed = valid(binding, "binding_ptr");
    require(valid(memory, "mem_info_ptr").is_cpu(), "Linnet has the CPU's memory only");
    bound(changed.outputs, copied_text(name)).value = {};
  });
}

void ClearBoundInputs(IoBinding* binding) noexcept {
  if (binding) binding->inputs.clear();
}

void ClearBoundOutputs(IoBinding* binding) noexcept {
  if (binding) binding->outputs.clear();
}

Status* RunWithBinding(Session* session, const RunOptions* options, IoBinding* binding) noexcept {
  return guarded([&] { run_bound(*valid(session, "session").state, options, valid(binding, "binding")); });
}

Status* GetBoundOutputNames(const IoBinding* binding, Allocator* allocator, char** names, size_t** lengths,
                            size_t* count) noexcept {
  return guarded([&] {
    const std::vector<Bound>& outputs = valid(binding, "binding_ptr").outputs;
    valid(names, "buffer") = nullptr;
    valid(lengths, "lengths") = nullptr;
    valid(count, "count") = outputs.size();
    if (outputs.empty()) return;
    std::string all;
    for (const Bound& output : outputs) all += output.name;
    *lengths = allocate_array<size_t>(allocator, outputs.size());
    std::transform(outputs.begin(), outputs.end(), *lengths, [](const Bound& output) { return output.name.size(); });
    *names = copy_text(allocator, all);
  });
}

Status* GetBoundOutputValues(const IoBinding* binding, Allocator* allocator, Value*** values, size_t* count) noexcept {
  return guarded([&] {
    const std::vector<Bound>& outputs = valid(binding, "binding_ptr").outputs;
    valid(values, "output") = nullptr;
    valid(count, "output_count") = outputs.size();
    if (outputs.empty()) return;
    std::vector<std::unique_ptr<Value>> copies;
    for (const Bound& output : outputs) copies.push_back(std::make_unique<Value>(output.value));
    *values = allocate_array<Value*>(allocator, copies.size());
    std::transform(copies.begin(), copies.end(), *values, [](std::unique_ptr<Value>& copy) { return copy.release(); });
  });
}

// These functions do nothing because runs end before they return.
Status* SynchronizeBoundInputs(IoBinding* binding) noexcept {
  return guarded([&] { valid(binding, "binding_ptr"); });
}
Status* SynchronizeBoundOutputs(IoBinding* binding) noexcept {
  return guarded([&] { valid(binding, "binding_ptr"); });
}

}  // namespace linnet::ort

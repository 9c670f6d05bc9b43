#include "lora_adapter.h"

#include <filesystem>
#include <fstream>

#include "adapter_format.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

/// Returns the contents of a file. Throws Failure(kInvalidArgument) if it does not exist.
std::vector<char> contents_of(const char* path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::vector<char> bytes(error ? 0 : size);
  if (error || !std::ifstream(path, std::ios::binary).read(bytes.data(), std::streamsize(size))) {
    throw Failure(kInvalidArgument, str("the adapter ", path, " cannot be read"));
  }
  return bytes;
}

/// Checks the pointer to the result last, as ONNX Runtime does.
void make_adapter(std::span<const char> bytes, const Allocator* allocator, LoraAdapter** created) {
  if (allocator) throw Failure(kFail, "only a device allocator may be given, and there are no devices");
  auto values = std::make_shared<std::map<std::string, Value>>();
  for (const auto& [name, tensor] : parse_adapter(std::as_bytes(bytes)).parameters) {
    values->emplace(name, Value{tensor});
  }
  LoraAdapter*& result = valid(created, "adapter");
  result = new LoraAdapter{std::move(values)};
}

}  // namespace

InputsWithAdapters::InputsWithAdapters(const RunCall& call, const RunOptions* options)
    : names(call.input_names.begin(), call.input_names.end()), values(call.inputs.begin(), call.inputs.end()) {
  if (!options) return;
  for (const auto& parameters : options->adapters) {
    size_t next = names.size();
    names.resize(next + parameters->size());
    values.resize(names.size());
    for (const auto& [name, value] : *parameters) names[next] = name.c_str(), values[next++] = &value;
  }
}

Status* CreateLoraAdapter(const char* path, Allocator* allocator, LoraAdapter** created) noexcept {
  return guarded([&] { make_adapter(contents_of(text(path, "adapter_file_path")), allocator, created); });
}

Status* CreateLoraAdapterFromArray(const void* bytes, size_t size, Allocator* allocator,
                                   LoraAdapter** created) noexcept {
  return guarded([&] {
    require(bytes, "bytes must not be NULL");
    make_adapter({static_cast<const char*>(bytes), size}, allocator, created);
  });
}

void ReleaseLoraAdapter(LoraAdapter* adapter) noexcept { delete adapter; }

// A null adapter is accepted without effect.
Status* RunOptionsAddActiveLoraAdapter(RunOptions* options, const LoraAdapter* adapter) noexcept {
  return guarded([&] {
    RunOptions& changed = valid(options, "options");
    if (adapter) changed.adapters.push_back(adapter->parameters);
  });
}

}  // namespace linnet::ort

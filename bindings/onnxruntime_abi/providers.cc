// Execution providers. The only one is the CPU's.
#include <algorithm>
#include <cstring>

#include "session_options.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

struct Provider {
  const char* name;
  const char* full_name;
};
// The providers that SessionOptionsAppendExecutionProvider() accepts in builds that have them.
constexpr Provider kOthers[] = {
    {"DML", "DmlExecutionProvider"},
    {"QNN", "QNNExecutionProvider"},
    {"OpenVINO", "OpenVINOExecutionProvider"},
    {"SNPE", "SNPEExecutionProvider"},
    {"XNNPACK", "XnnpackExecutionProvider"},
    {"WEBNN", "WebNNExecutionProvider"},
    {"WebGPU", "WebGpuExecutionProvider"},
    {"AZURE", "AzureExecutionProvider"},
    {"JS", "JsExecutionProvider"},
    {"VitisAI", "VitisAIExecutionProvider"},
    {"CoreML", "CoreMLExecutionProvider"},
    {"MIGraphX", "MIGraphXExecutionProvider"},
};
constexpr Provider kCpuProvider{"CPU", "CPUExecutionProvider"};

bool is(const Provider& provider, const char* name) {
  return std::strcmp(provider.name, name) == 0 || std::strcmp(provider.full_name, name) == 0;
}

[[noreturn]] void fail_unknown(const char* name) {
  std::string known;
  for (const Provider& provider : kOthers) known += str("'", provider.name, "'/'", provider.full_name, "', ");
  throw Failure(kInvalidArgument, str("Unknown provider name '", name, "'. Currently supported values are ", known,
                                      "and 'CPU'/'CPUExecutionProvider'."));
}

}  // namespace

// The CPU's provider is always present, so the options do not change.
Status* SessionOptionsAppendExecutionProvider(SessionOptions*, const char* name, const char* const*, const char* const*,
                                              size_t) noexcept {
  return guarded([&] {
    if (is(kCpuProvider, text(name, "provider_name"))) return;
    const auto* known =
        std::find_if(std::begin(kOthers), std::end(kOthers), [&](auto& other) { return is(other, name); });
    if (known == std::end(kOthers)) fail_unknown(name);
    throw Failure(kInvalidArgument, str(known->name, " execution provider is not supported in this build. "));
  });
}

Status* GetAvailableProviders(char*** names, int* count) noexcept {
  return guarded([&] {
    char**& list = valid(names, "out_ptr");
    int& length = valid(count, "provider_length");
    auto holder = std::make_unique<char*[]>(1);
    holder[0] = new char[std::strlen(kCpuProvider.full_name) + 1];
    std::strcpy(holder[0], kCpuProvider.full_name);
    list = holder.release();
    length = 1;
  });
}

Status* ReleaseAvailableProviders(char** names, int count) noexcept {
  for (int i = 0; names && i < count; ++i) delete[] names[i];
  delete[] names;
  return nullptr;
}

Status* GetExecutionProviderApi(const char* name, uint32_t, const void** api) noexcept {
  return guarded([&] {
    text(name, "provider_name");
    valid(api, "provider_api") = nullptr;
    throw Failure(kInvalidArgument, "Specified provider is not supported.");
  });
}

Status* SetCurrentGpuDeviceId(int) noexcept {
  return make_status(kFail, "CUDA execution provider is either not enabled or not available.");
}
Status* GetCurrentGpuDeviceId(int*) noexcept {
  return make_status(kFail, "CUDA execution provider is either not enabled or not available.");
}

}  // namespace linnet::ort

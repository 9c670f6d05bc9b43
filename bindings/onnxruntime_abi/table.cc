#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include "custom_op.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

template <size_t N>
struct Name {
  constexpr Name(const char (&text)[N]) {  // NOLINT: a literal is a name
    for (size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  char characters[N];
};

/// The function of a slot that Linnet does not implement. Callers pass parameters, which it ignores.
template <Name name>
Status* refuse() noexcept {
  static const std::string message = str(name.characters, " is not implemented by Linnet");
  return make_status(kNotImplemented, message.c_str());
}

template <Name provider>
Status* lack() noexcept {
  static const std::string message = str(provider.characters, " execution provider is not enabled in this build.");
  return make_status(kFail, message.c_str());
}

/// The function of a slot that frees an object that never exists, or returns a pointer.
void* do_nothing() noexcept { return nullptr; }

#define IMPLEMENTED(result, name, parameters) reinterpret_cast<Slot>(&name),
#define REFUSED(name) reinterpret_cast<Slot>(&refuse<#name>),
#define ABSENT(name, provider) reinterpret_cast<Slot>(&lack<provider>),
#define NOTHING(name) reinterpret_cast<Slot>(&do_nothing),
const Slot kSlots[] = {
#include "slots.inc"
};
const Slot kProviderSlots[] = {
#include "provider_slots.inc"
};
const Slot kInteropSlots[] = {
#include "interop_slots.inc"
};
#undef IMPLEMENTED
#undef REFUSED
#undef ABSENT
#undef NOTHING
constexpr size_t kSlotCount = 429;  // of version 32
static_assert(std::size(kSlots) == kSlotCount);

const Api* get_api(uint32_t version) noexcept {
  if (version >= 1 && version <= kApiVersion) return table();
  std::fprintf(stderr,
               "The requested API version [%u] is not available, only API versions [1, %u] are supported in this "
               "build. Current ORT Version is: %s\n",
               version, kApiVersion, kVersion);
  return nullptr;
}

const char* get_version_string() noexcept { return kVersion; }

constexpr ApiBase kBase{get_api, get_version_string};

}  // namespace

const Api* table() noexcept { return reinterpret_cast<const Api*>(kSlots); }

const ApiBase* base() noexcept { return &kBase; }

const char* GetBuildInfoString() noexcept { return "ORT Build Info: Linnet, build type=Release"; }

const void* GetEpApi() noexcept { return kProviderSlots; }
const void* GetInteropApi() noexcept { return kInteropSlots; }

// In ONNX Runtime, the first of the three slots without a known name stores two pointers in the options of a session,
// and the second returns another table.
Status* Slot426(SessionOptions* options, void*, void*) noexcept {
  return guarded([&] { require(options, "'options' parameter must not be NULL"); });
}

const void* GetTrainingApi(uint32_t) noexcept { return nullptr; }

const void* GetExperimentalFunction(const char* name) noexcept {
  const bool is_known = name && std::string_view(name) == "LinnetLoadCustomOps";
  return is_known ? reinterpret_cast<const void*>(&load_custom_ops) : nullptr;
}

}  // namespace linnet::ort

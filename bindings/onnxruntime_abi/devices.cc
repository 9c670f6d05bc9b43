// Devices and the providers that run on them. The only device is the CPU.
#include "devices.h"

#include <algorithm>
#include <cstring>

#include "environment.h"
#include "key_value_pairs.h"
#include "memory.h"
#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct HardwareDevice {
  KeyValuePairs metadata;
};

/// The reason why a device does not fit a provider. The CPU always fits its provider.
struct DeviceEpIncompatibilityDetails {};

struct EpDevice {
  HardwareDevice hardware;
  KeyValuePairs metadata, options;
};

namespace {

EpDevice& cpu_device() {
  static EpDevice& device = *new EpDevice;  // outlives objects that clients release at exit
  return device;
}

const EpDevice* const* devices() {
  static const EpDevice* const all[] = {&cpu_device()};
  return all;
}

void check_cpu(const EpDevice* device) { require(device == &cpu_device(), "ep_device is not a device of Linnet"); }

Status* devices_of(const Session* session, size_t expected, const EpDevice** list, size_t count) noexcept {
  return guarded([&] {
    valid(session, "session");
    require(count == expected, "The number of values is not that of the array");
    require(list || count == 0, "the list of devices must not be NULL");
    std::fill_n(list, count, &cpu_device());
  });
}

}  // namespace

Status* GetEpDevices(const Env* env, const EpDevice* const** list, size_t* count) noexcept {
  return guarded([&] {
    valid(env, "env");
    valid(list, "ep_devices") = devices();
    valid(count, "num_ep_devices") = 1;
  });
}

const char* EpDevice_EpName(const EpDevice*) noexcept { return "CPUExecutionProvider"; }
const char* EpDevice_EpVendor(const EpDevice*) noexcept { return "Linnet"; }
const KeyValuePairs* EpDevice_EpMetadata(const EpDevice* device) noexcept {
  return device ? &device->metadata : nullptr;
}
const KeyValuePairs* EpDevice_EpOptions(const EpDevice* device) noexcept { return device ? &device->options : nullptr; }
const HardwareDevice* EpDevice_Device(const EpDevice* device) noexcept { return device ? &device->hardware : nullptr; }
const MemoryInfo* EpDevice_MemoryInfo(const EpDevice*, int) noexcept { return nullptr; }  // the default memory

DeviceType HardwareDevice_Type(const HardwareDevice*) noexcept { return kCpu; }
uint32_t HardwareDevice_VendorId(const HardwareDevice*) noexcept { return 0; }
const char* HardwareDevice_Vendor(const HardwareDevice*) noexcept { return ""; }
uint32_t HardwareDevice_DeviceId(const HardwareDevice*) noexcept { return 0; }
const KeyValuePairs* HardwareDevice_Metadata(const HardwareDevice* device) noexcept {
  return device ? &device->metadata : nullptr;
}

Status* GetNumHardwareDevices(const Env* env, size_t* count) noexcept {
  return guarded([&] {
    valid(env, "env");
    valid(count, "num_devices") = 1;
  });
}

Status* GetHardwareDevices(const Env* env, const HardwareDevice** list, size_t count) noexcept {
  return guarded([&] {
    valid(env, "env");
    require(list && count >= 1, "there is no room for the devices");
    *list = &cpu_device().hardware;
  });
}

Status* SessionGetEpDeviceForInputs(const Session* session, const EpDevice** list, size_t count) noexcept {
  return devices_of(session, session ? session->state->inputs().values.size() : 0, list, count);
}

Status* SessionGetEpDeviceForOutputs(const Session* session, const EpDevice** list, size_t count) noexcept {
  return devices_of(session, session ? session->state->outputs().values.size() : 0, list, count);
}

Status* SessionOptionsAppendExecutionProvider_V2(SessionOptions* options, Env* env, const EpDevice* const* list,
                                                 size_t count, const char* const*, const char* const*,
                                                 size_t) noexcept {
  return guarded([&] {
    valid(options, "session_options");
    valid(env, "env");
    require(list && count > 0, "At least one OrtEpDevice must be provided.");
    for (size_t i = 0; i < count; ++i) check_cpu(list[i]);
  });
}

Status* SessionOptionsSetEpSelectionPolicy(SessionOptions* options, int) noexcept {
  return guarded([&] { valid(options, "session_options"); });
}

Status* SessionOptionsSetEpSelectionPolicyDelegate(SessionOptions* options, ChooseDevices choose,
                                                   void* state) noexcept {
  return guarded([&] {
    valid(options, "session_options").choose_devices = choose;
    options->choose_state = state;
  });
}

void choose_devices(const SessionOptions& options, const KeyValuePairs& metadata) {
  if (!options.choose_devices) return;
  constexpr size_t kRoom = 8;
  const EpDevice* chosen[kRoom] = {};
  size_t count = 0;
  throw_status(options.choose_devices(devices(), 1, &metadata, nullptr, chosen, kRoom, &count, options.choose_state));
  if (count == 0 || count > kRoom) throw Failure(kFail, "the function that selects devices selected none");
  for (size_t i = 0; i < count; ++i) check_cpu(chosen[i]);
}

Status* RegisterExecutionProviderLibrary(Env* env, const char* name, const char* path) noexcept {
  return guarded([&] {
    valid(env, "env");
    copied_text(name);
    throw Failure(kFail, str("Failed to load library ", text(path, "path"), ": Linnet runs on CPUs by itself"));
  });
}

Status* UnregisterExecutionProviderLibrary(Env* env, const char* name) noexcept {
  return guarded([&] {
    valid(env, "env");
    throw Failure(kFail, str(copied_text(name), " is not registered"));
  });
}

Status* GetHardwareDeviceEpIncompatibilityDetails(const Env* env, const char* provider, const HardwareDevice* hardware,
                                                  DeviceEpIncompatibilityDetails** details) noexcept {
  return create(details, [&] {
    valid(env, "env");
    const bool is_known = std::strcmp(text(provider, "ep_name"), "CPUExecutionProvider") == 0;
    if (!is_known) throw Failure(kInvalidArgument, str("No OrtEpFactory was found for the provider ", provider));
    require(hardware == &cpu_device().hardware, "hw is not a device of Linnet");
    return new DeviceEpIncompatibilityDetails;
  });
}

Status* DeviceEpIncompatibilityDetails_GetReasonsBitmask(const DeviceEpIncompatibilityDetails* details,
                                                         uint32_t* reasons) noexcept {
  return guarded([&] {
    valid(details, "details");
    valid(reasons, "reasons_bitmask") = 0;
  });
}

Status* DeviceEpIncompatibilityDetails_GetNotes(const DeviceEpIncompatibilityDetails* details,
                                                const char** notes) noexcept {
  return guarded([&] {
    valid(details, "details");
    valid(notes, "notes") = nullptr;
  });
}

Status* DeviceEpIncompatibilityDetails_GetErrorCode(const DeviceEpIncompatibilityDetails* details,
                                                    int32_t* code) noexcept {
  return guarded([&] {
    valid(details, "details");
    valid(code, "error_code") = 0;
  });
}

void ReleaseDeviceEpIncompatibilityDetails(DeviceEpIncompatibilityDetails* details) noexcept { delete details; }

// No node of a model is compiled for a provider.
Status* GetCompatibilityInfoFromModel(const char* path, const char* provider, Allocator* allocator,
                                      char** info) noexcept {
  return guarded([&] {
    text(path, "model_path");
    text(provider, "ep_type");
    valid(allocator, "allocator");
    valid(info, "compatibility_info") = nullptr;
  });
}

Status* GetCompatibilityInfoFromModelBytes(const void* bytes, size_t, const char* provider, Allocator* allocator,
                                           char** info) noexcept {
  return guarded([&] {
    require(bytes, "model_data must not be NULL");
    text(provider, "ep_type");
    valid(allocator, "allocator");
    valid(info, "compatibility_info") = nullptr;
  });
}

Status* GetModelCompatibilityForEpDevices(const EpDevice* const* list, size_t count, const char* info,
                                          int* result) noexcept {
  return guarded([&] {
    constexpr int kNotApplicable = 0;
    require(list && count > 0, "ep_devices must not be empty");
    for (size_t i = 0; i < count; ++i) check_cpu(list[i]);
    text(info, "compatibility_info");
    valid(result, "out_status") = kNotApplicable;
  });
}

// The CPU's memory belongs to no device, so it has no allocator that sessions share.
Status* CreateSharedAllocator(Env* env, const EpDevice* device, int, AllocatorType, const KeyValuePairs*,
                              Allocator**) noexcept {
  return guarded([&] {
    valid(env, "env");
    check_cpu(device);
    throw Failure(kInvalidArgument, "Invalid memory type for OrtEpDevice");
  });
}

Status* GetSharedAllocator(Env* env, const MemoryInfo* memory, Allocator** allocator) noexcept {
  return guarded([&] {
    const Env& known = valid(env, "env");
    const MemoryInfo& wanted = valid(memory, "mem_info");
    Allocator*& found = valid(allocator, "allocator");
    found = wanted.is_cpu() ? &cpu_allocator() : nullptr;
    for (Allocator* registered : known.allocators) {
      if (*registered->info(registered) == wanted) found = registered;
    }
  });
}

Status* ReleaseSharedAllocator(Env* env, const EpDevice* device, int) noexcept {
  return guarded([&] {
    valid(env, "env");
    check_cpu(device);
    throw Failure(kInvalidArgument, "Invalid memory type for OrtEpDevice");
  });
}

// Does not copy: no value is on a device.
Status* CopyTensors(const Env* env, const Value* const* from, Value* const* to, SyncStream*, size_t) noexcept {
  return guarded([&] {
    valid(env, "env");
    require(from && to, "src_tensors and dst_tensors must not be NULL");
    throw Failure(kNotImplemented, "Data transfer implementation between the CPU and itself is not registered.");
  });
}

Status* CreateSyncStreamForEpDevice(const EpDevice* device, const KeyValuePairs*, SyncStream** stream) noexcept {
  return guarded([&] {
    check_cpu(device);
    valid(stream, "stream") = nullptr;
    throw Failure(kInvalidArgument, "OrtEpDevice must be of a non-CPU device to create streams.");
  });
}

void* SyncStream_GetHandle(SyncStream*) noexcept { return nullptr; }
void ReleaseSyncStream(SyncStream*) noexcept {}

}  // namespace linnet::ort

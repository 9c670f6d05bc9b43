#include "memory.h"

#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>

#include "environment.h"
#include "key_value_pairs.h"
#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

constexpr size_t kAlignment = 64;

void* alloc(Allocator*, size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX - kAlignment) return nullptr;
  return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}
void release(Allocator*, void* memory) { std::free(memory); }
const MemoryInfo* info(const Allocator*) { return &cpu_memory(); }
Status* no_stats(const Allocator*, KeyValuePairs** stats) {
  return create(stats, [] { return new KeyValuePairs; });
}

struct Device {
  const char* name;
  DeviceType type;
  const char* shown = nullptr;  // the result of MemoryInfoGetName(), where it differs
};
// The names that ONNX Runtime's builds for all devices know.
constexpr Device kDevices[] = {
    {"Cpu", kCpu},           {"Cuda", kGpu},         {"CudaPinned", kCpu},   {"Cann", kNpu},
    {"CannPinned", kCpu},    {"DML", kGpu},          {"HIP", kGpu},          {"HipPinned", kCpu},
    {"OpenVINO_CPU_", kCpu}, {"OpenVINO_GPU", kGpu}, {"QnnHtpShared", kCpu}, {"WebGPU_Buffer", kGpu, "WebGPU_Buf"},
    {"WebNN_Tensor", kGpu},
};

const Device& device_of(const char* name) {
  for (const Device& device : kDevices) {
    if (std::strcmp(device.name, name) == 0) return device;
  }
  throw Failure(kInvalidArgument, "Specified device is not supported. Try CreateMemoryInfo_V2.");
}

}  // namespace

const MemoryInfo& cpu_memory() {
  static const MemoryInfo& memory = *new MemoryInfo{.name = "Cpu"};  // outlives memory that clients free at exit
  return memory;
}

Allocator& cpu_allocator() {
  static Allocator allocator{kApiVersion, alloc, release, info, alloc, no_stats, nullptr, nullptr};
  return allocator;
}

void* allocate(Allocator* allocator, size_t bytes) {
  Allocator& from = valid(allocator, "allocator");
  void* memory = from.alloc(&from, bytes);
  if (!memory && bytes > 0) throw std::bad_alloc();
  return memory;
}

char* copy_text(Allocator* allocator, const std::string& text) {
  return static_cast<char*>(std::memcpy(allocate(allocator, text.size() + 1), text.c_str(), text.size() + 1));
}

Status* CreateMemoryInfo(const char* name, AllocatorType allocator, int id, MemType type,
                         MemoryInfo** created) noexcept {
  return create(created, [&] {
    const Device& device = device_of(text(name, "name"));
    return new MemoryInfo{.name = device.shown ? device.shown : device.name,
                          .id = id,
                          .mem_type = type,
                          .allocator = allocator,
                          .device = device.type};
  });
}

Status* CreateCpuMemoryInfo(AllocatorType allocator, MemType type, MemoryInfo** created) noexcept {
  return create(created, [&] { return new MemoryInfo{.name = "Cpu", .mem_type = type, .allocator = allocator}; });
}

Status* CreateMemoryInfo_V2(const char* name, DeviceType device, uint32_t vendor, int32_t id, int device_memory,
                            size_t alignment, AllocatorType allocator, MemoryInfo** created) noexcept {
  return create(created, [&] {
    return new MemoryInfo{.name = text(name, "name"),
                          .id = id,
                          .allocator = allocator,
                          .device = device,
                          .vendor = vendor,
                          .device_memory = device_memory,
                          .alignment = alignment};
  });
}

void ReleaseMemoryInfo(MemoryInfo* memory) noexcept {
  if (memory != &cpu_memory()) delete memory;
}

Status* CompareMemoryInfo(const MemoryInfo* a, const MemoryInfo* b, int* different) noexcept {
  return guarded([&] { valid(different, "out") = valid(a, "info1") == valid(b, "info2") ? 0 : -1; });
}

Status* MemoryInfoGetName(const MemoryInfo* memory, const char** name) noexcept {
  return guarded([&] { valid(name, "out") = valid(memory, "info").name.c_str(); });
}

Status* MemoryInfoGetId(const MemoryInfo* memory, int* id) noexcept {
  return guarded([&] { valid(id, "out") = valid(memory, "info").id; });
}

Status* MemoryInfoGetMemType(const MemoryInfo* memory, MemType* type) noexcept {
  return guarded([&] { valid(type, "out") = valid(memory, "info").mem_type; });
}

Status* MemoryInfoGetType(const MemoryInfo* memory, AllocatorType* type) noexcept {
  return guarded([&] { valid(type, "out") = valid(memory, "info").allocator; });
}

void MemoryInfoGetDeviceType(const MemoryInfo* memory, DeviceType* type) noexcept {
  if (memory && type) *type = memory->device;
}

int MemoryInfoGetDeviceMemType(const MemoryInfo* memory) noexcept { return memory ? memory->device_memory : 0; }

uint32_t MemoryInfoGetVendorId(const MemoryInfo* memory) noexcept { return memory ? memory->vendor : 0; }

Status* AllocatorAlloc(Allocator* allocator, size_t bytes, void** memory) noexcept {
  return guarded([&] {
    valid(memory, "out") = valid(allocator, "allocator").alloc(allocator, bytes);
    if (!*memory && bytes > 0) throw Failure(kRuntimeException, str("cannot allocate ", bytes, " bytes"));
  });
}

Status* AllocatorFree(Allocator* allocator, void* memory) noexcept {
  return guarded([&] { valid(allocator, "allocator").free(allocator, memory); });
}

Status* AllocatorGetInfo(const Allocator* allocator, const MemoryInfo** memory) noexcept {
  return guarded([&] { valid(memory, "out") = valid(allocator, "allocator").info(allocator); });
}

Status* AllocatorGetStats(const Allocator* allocator, KeyValuePairs** stats) noexcept {
  return guarded([&] {
    const Allocator& from = valid(allocator, "allocator");
    if (from.version < 23 || !from.get_stats) {
      throw Failure(kNotImplemented, "the allocator has no statistics");
    }
    throw_status(from.get_stats(allocator, stats));
  });
}

Status* GetAllocatorWithDefaultOptions(Allocator** allocator) noexcept {
  return guarded([&] { valid(allocator, "out") = &cpu_allocator(); });
}

Status* CreateAllocator(const Session* session, const MemoryInfo* memory, Allocator** created) noexcept {
  return create(created, [&] {
    valid(session, "session");
    if (!valid(memory, "mem_info").is_cpu()) throw Failure(kInvalidArgument, "No requested allocator available");
    return new_allocator();
  });
}

}  // namespace linnet::ort

#pragma once

#include <cstring>
#include <string>

#include "abi.h"
#include "linnet/shape.h"

namespace linnet::ort {

/// The location of memory. Linnet's is always the CPU's, but clients may describe others.
struct MemoryInfo {
  std::string name;
  int id = 0;
  MemType mem_type = kDefaultMemory;
  AllocatorType allocator = kDeviceAllocator;
  DeviceType device = kCpu;
  uint32_t vendor = 0;
  int device_memory = 0;
  size_t alignment = 0;

  bool is_cpu() const { return device == kCpu; }
  friend bool operator==(const MemoryInfo&, const MemoryInfo&) = default;
};

/// The memory of all of Linnet's values, and its allocator. Both live as long as the process.
const MemoryInfo& cpu_memory();
Allocator& cpu_allocator();
/// Returns an allocator that counts its allocations. The caller releases it.
Allocator* new_allocator();
/// Whether the allocator is one of Linnet's.
bool is_own(const Allocator& allocator);

/// Returns a copy of a text in memory of an allocator that the client chose and that frees it later. Throws Failure.
char* copy_text(Allocator* allocator, const std::string& text);
/// Returns memory of an allocator that the client chose. Throws Failure if it cannot allocate.
void* allocate(Allocator* allocator, size_t bytes);
template <class T>
T* allocate_array(Allocator* allocator, size_t count) {
  constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): arrays of pointers, too
  return static_cast<T*>(allocate(allocator, size_t(checked_mul(int64_t(count), int64_t{kBytes}))));
}

}  // namespace linnet::ort

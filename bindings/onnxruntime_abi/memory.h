#pragma once

#include <cstring>
#include <string>

#include "abi.h"
#include "linnet/shape.h"

namespace linnet::ort {

/// Where memory is. Linnet's is the CPU's; clients may describe others, too.
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

/// That of all values of Linnet, and the allocator of such memory. Both live as long as the process.
const MemoryInfo& cpu_memory();
Allocator& cpu_allocator();
/// One that counts what it gives, for the caller, who releases it.
Allocator* new_allocator();
/// Whether it is one of these.
bool is_own(const Allocator& allocator);

/// A copy of a text in memory of an allocator that the client chose; what it frees later. Throws Failure.
char* copy_text(Allocator* allocator, const std::string& text);
/// Memory of an allocator that the client chose. Throws Failure where there is none.
void* allocate(Allocator* allocator, size_t bytes);
template <class T>
T* allocate_array(Allocator* allocator, size_t count) {
  constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): arrays of pointers, too
  return static_cast<T*>(allocate(allocator, size_t(checked_mul(int64_t(count), int64_t{kBytes}))));
}

}  // namespace linnet::ort

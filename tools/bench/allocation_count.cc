#include "bench/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> count{0};

void* allocate(size_t bytes, size_t alignment) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes == 0 ? 1 : bytes);
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded < bytes) return nullptr;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* allocate_or_throw(size_t bytes, size_t alignment) {
  if (void* memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// These replace the functions of the whole process; the array forms call them.
void* operator new(size_t bytes) { return allocate_or_throw(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(size_t bytes, std::align_val_t alignment) { return allocate_or_throw(bytes, size_t(alignment)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace linnet::tool {

int64_t allocation_count() { return count.load(std::memory_order_relaxed); }

}  // namespace linnet::tool

#include "support/counted_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LINNET_NEW_IS_THE_SANITIZERS
#endif
#endif

namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

namespace linnet::testing {

int64_t allocation_count() { return allocations; }

}  // namespace linnet::testing

#ifndef LINNET_NEW_IS_THE_SANITIZERS
namespace {

void* counted(size_t bytes, size_t alignment) noexcept {
  ++allocations;
  return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void* counted_or_throw(size_t bytes, size_t alignment) {
  void* p = counted(bytes, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

constexpr size_t kDefault = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t bytes) { return counted_or_throw(bytes, kDefault); }
void* operator new(size_t bytes, std::align_val_t alignment) { return counted_or_throw(bytes, size_t(alignment)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, kDefault); }
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(bytes, size_t(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
#endif

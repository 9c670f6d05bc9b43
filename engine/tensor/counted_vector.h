#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// Memory other than that of tensors. It counts for the current account of this thread until it is freed, on any
/// thread. Throws Error(kLimit) before it requests more than the account has left. Aligned as by operator new.
LINNET_API void* allocate_counted(size_t bytes);
LINNET_API void free_counted(void* memory, size_t bytes) noexcept;

/// The allocator for containers of the standard library whose size depends on dims, attributes, contents or a file:
/// tables, lists of indices, pieces of text. All of its objects are equal, so that containers move in constant time.
template <class T>
struct CountedAllocator {
  using value_type = T;
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  CountedAllocator() = default;
  template <class U>
  CountedAllocator(const CountedAllocator<U>&) {}  // NOLINT: containers convert it

  T* allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / 2 / kBytes) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_counted(count * kBytes));
  }
  void deallocate(T* memory, size_t count) noexcept { free_counted(memory, count * kBytes); }

  friend bool operator==(const CountedAllocator&, const CountedAllocator&) { return true; }

 private:
  static constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): tables contain pointers, too
};

template <class T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace linnet

#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// Memory beside tensors that counts for the account of this thread, which is the current one, until it is freed, on
/// any thread. Throws Error(kLimit) before it asks for more than the account has left. Aligned as operator new aligns.
LINNET_API void* allocate_counted(size_t bytes);
LINNET_API void free_counted(void* memory, size_t bytes) noexcept;

/// What containers of the standard library allocate with where their size depends on dims, attributes, contents or a
/// file: tables, lists of indices, pieces of text. All of these are equal, so that containers move in constant time.
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
  static constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): tables keep pointers, too
};

template <class T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace linnet

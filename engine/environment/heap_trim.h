#pragma once

namespace linnet {

/// Returns the free pages of the C library's heap to the system when it is destroyed; glibc keeps free pages that are
/// followed by a used block. A struct whose other members free many small blocks has it as its first member, because
/// members are destroyed in reverse order.
class HeapTrim {
 public:
  HeapTrim() = default;
  HeapTrim(const HeapTrim&) = default;
  HeapTrim& operator=(const HeapTrim&) = default;
  ~HeapTrim();
};

}  // namespace linnet

#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define LINNET_HEAP_IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define LINNET_HEAP_IS_WATCHED 1
#endif
#endif

namespace linnet {

#ifdef LINNET_HEAP_IS_WATCHED
inline constexpr bool kMapsLargeBlocks = false;  ///< sanitizers know where blocks of the heap end
#else
inline constexpr bool kMapsLargeBlocks = true;
#endif

/// Blocks of this size and more are mapped, apart from the heap: what is freed goes back to the system whatever is
/// allocated behind it.
inline constexpr size_t kLargeBlock = size_t{256} << 10;

/// Memory for numbers, uninitialised, aligned to kAlignment, mapped blocks from 2 MiB on to huge pages; nullptr where
/// there is none.
void* allocate_block(size_t bytes) noexcept;
/// Gives back what allocate_block() gave for so many bytes. A few large blocks are kept for the next that ask for as
/// much or somewhat less, so that loading and runs do not map new pages for each block.
void free_block(void* data, size_t bytes) noexcept;

/// While one lives, twice as many freed blocks are kept: loading makes large values that live for a moment.
class LoadingBlocks {
 public:
  LoadingBlocks();
  ~LoadingBlocks();
  LoadingBlocks(const LoadingBlocks&) = delete;
};

/// Bytes of freed blocks that wait for their next use, in the whole process.
size_t kept_block_bytes() noexcept;

}  // namespace linnet

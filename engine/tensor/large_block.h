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
/// Frees what allocate_block() returned for that many bytes. The process keeps a few large blocks for the next that are
/// as large or somewhat smaller, so that loading and runs do not map new pages for each.
void free_block(void* data, size_t bytes) noexcept;

/// While one exists, the process keeps twice as many bytes of freed blocks: loading makes and frees many large values.
class LoadingBlocks {
 public:
  LoadingBlocks();
  ~LoadingBlocks();
  LoadingBlocks(const LoadingBlocks&) = delete;
};

/// Bytes of freed blocks that wait for their next use, in the whole process.
size_t kept_block_bytes() noexcept;

}  // namespace linnet

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
inline constexpr bool kMapsLargeBlocks = false;  ///< sanitizers check where blocks of the heap end
#else
inline constexpr bool kMapsLargeBlocks = true;
#endif

/// Blocks of at least this size are mapped, separately from the heap, so that freeing them returns memory to the system
/// whatever is allocated after them.
inline constexpr size_t kLargeBlock = size_t{256} << 10;

/// Allocates uninitialised memory for numbers, aligned to kAlignment. Mapped blocks of at least 2 MiB are on huge
/// pages. Returns nullptr if there is no memory.
void* allocate_block(size_t bytes) noexcept;
/// Frees what allocate_block() returned for that many bytes. The process caches a few large blocks for later blocks of
/// the same or a somewhat smaller size, so that loading and runs do not always map new pages.
void free_block(void* data, size_t bytes) noexcept;

/// During its lifetime the process caches twice as many bytes of freed blocks, because loading allocates and frees many
/// large values.
class LoadingBlocks {
 public:
  LoadingBlocks();
  ~LoadingBlocks();
  LoadingBlocks(const LoadingBlocks&) = delete;
};

/// The bytes of cached blocks in the whole process.
size_t kept_block_bytes() noexcept;

}  // namespace linnet

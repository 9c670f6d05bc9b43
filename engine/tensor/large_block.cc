#include "tensor/large_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr size_t kPage = size_t{4} << 10;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kMostKeptBytes = size_t{8} << 20, kMostKeptByLoads = size_t{16} << 20;

/// The mapped bytes for a block. There are eight sizes between two powers of two, so that blocks of similar sizes can
/// replace each other.
size_t mapped_bytes(size_t bytes) {
  const size_t step = std::max(kPage, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) & ~(step - 1);  // step is a power of two
}

void* map(size_t bytes) {
  const size_t slack = bytes >= kHugePage ? kHugePage - kPage : 0;
  void* const pages = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (slack == 0) return pages;
  auto* const begin = static_cast<std::byte*>(pages);
  const size_t skipped = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (skipped > 0) ::munmap(begin, skipped);
  if (slack > skipped) ::munmap(begin + skipped + bytes, slack - skipped);
  ::madvise(begin + skipped, bytes, MADV_HUGEPAGE);
  return begin + skipped;
}

/// A cache of freed blocks, oldest first.
class KeptBlocks {
 public:
  static KeptBlocks& instance() {
    static auto* const blocks = new KeptBlocks;  // outlives every tensor
    return *blocks;
  }

  /// The beginning of the smallest cached block of `bytes` to twice as many bytes, or nullptr. The rest stays cached if
  /// it is large enough for another block.
  void* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    int64_t best = -1;
    for (int64_t i = 0; i < count_; ++i) {
      const bool is_smaller = best < 0 || blocks_[size_t(i)].second < blocks_[size_t(best)].second;
      if (is_smaller && fits(blocks_[size_t(i)], bytes)) best = i;
    }
    if (best < 0) return nullptr;
    auto& [data, size] = blocks_[size_t(best)];
    auto* const begin = static_cast<std::byte*>(data);
    if (size - bytes >= kLargeBlock) {
      data = begin + bytes;
      size -= bytes;
      bytes_ -= bytes;
    } else {
      if (size > bytes) ::munmap(begin + bytes, size - bytes);
      remove(best);
    }
    return begin;
  }

  void add(void* data, size_t bytes) {
    std::unique_lock lock(mutex_);
    if (bytes > most() / 2) {
      lock.unlock();
      ::munmap(data, bytes);
      return;
    }
    if (count_ == std::ssize(blocks_)) unmap_first();
    unmap_beyond(most() - bytes);
    blocks_[size_t(count_++)] = {data, bytes};
    bytes_ += bytes;
  }

  void count_load(int change) {
    const std::lock_guard lock(mutex_);
    loads_ += change;
    unmap_beyond(most());
  }

  size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  using Block = std::pair<void*, size_t>;

  /// Whether a block fits. The rest of a block may begin between two huge pages.
  static bool fits(const Block& block, size_t bytes) {
    const bool is_aligned = bytes < kHugePage || reinterpret_cast<uintptr_t>(block.first) % kHugePage == 0;
    return is_aligned && block.second >= bytes && block.second / 2 <= bytes;
  }

  size_t most() const { return loads_ > 0 ? kMostKeptByLoads : kMostKeptBytes; }

  void unmap_beyond(size_t bytes) {
    while (bytes_ > bytes) unmap_first();
  }

  void unmap_first() {
    ::munmap(blocks_[0].first, blocks_[0].second);
    remove(0);
  }

  void remove(int64_t index) {
    bytes_ -= blocks_[size_t(index)].second;
    std::move(blocks_.begin() + index + 1, blocks_.begin() + count_, blocks_.begin() + index);
    --count_;
  }

  std::mutex mutex_;
  std::array<Block, 16> blocks_{};
  int64_t count_ = 0;
  size_t bytes_ = 0;
  int loads_ = 0;
};

}  // namespace

void* allocate_block(size_t bytes) noexcept {
  if (!kMapsLargeBlocks || bytes < kLargeBlock) {
    return ::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow);
  }
  if (bytes > SIZE_MAX / 2) return nullptr;
  const size_t mapped = mapped_bytes(bytes);
  void* const kept = KeptBlocks::instance().take(mapped);
  return kept ? kept : map(mapped);
}

void free_block(void* data, size_t bytes) noexcept {
  if (!kMapsLargeBlocks || bytes < kLargeBlock) {
    ::operator delete (data, std::align_val_t{kAlignment});
  } else {
    KeptBlocks::instance().add(data, mapped_bytes(bytes));
  }
}

LoadingBlocks::LoadingBlocks() { KeptBlocks::instance().count_load(1); }
LoadingBlocks::~LoadingBlocks() { KeptBlocks::instance().count_load(-1); }

size_t kept_block_bytes() noexcept { return KeptBlocks::instance().bytes(); }

}  // namespace linnet

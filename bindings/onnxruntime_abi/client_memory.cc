#include "client_memory.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace linnet::ort {
namespace {

class ClientMemory final : public std::pmr::memory_resource {
 public:
  explicit ClientMemory(Allocator& allocator) : allocator_(allocator) {}

 private:
  static bool is_aligned(const void* data, size_t alignment) { return uintptr_t(data) % alignment == 0; }

  void* allocate_block(size_t bytes) const {
    void* block = allocator_.alloc(&allocator_, bytes);
    if (!block) throw std::bad_alloc();
    return block;
  }

  // Kernels need a stricter alignment than most allocators of clients guarantee. A misaligned block is replaced by a
  // longer one.
  void* do_allocate(size_t bytes, size_t alignment) override {
    bytes = std::max<size_t>(bytes, 1);
    void* block = allocate_block(bytes);
    if (is_aligned(block, alignment)) return block;
    allocator_.free(&allocator_, block);
    if (bytes > SIZE_MAX - alignment) throw std::bad_alloc();
    size_t room = bytes + alignment;
    void* inside = block = allocate_block(room);
    std::align(alignment, bytes, inside, room);
    const std::lock_guard lock(mutex_);
    blocks_[inside] = block;
    return inside;
  }

  void do_deallocate(void* data, size_t, size_t) override {
    {
      const std::lock_guard lock(mutex_);
      const auto found = blocks_.extract(data);
      if (found) data = found.mapped();
    }
    allocator_.free(&allocator_, data);
  }

  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  Allocator& allocator_;
  std::mutex mutex_;
  std::map<void*, void*> blocks_;  // by the aligned address inside them
};

}  // namespace

std::pmr::memory_resource& memory_of(Allocator& allocator) {
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<Allocator*, std::unique_ptr<ClientMemory>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<ClientMemory>& memory = all[&allocator];
  if (!memory) memory = std::make_unique<ClientMemory>(allocator);
  return *memory;
}

}  // namespace linnet::ort

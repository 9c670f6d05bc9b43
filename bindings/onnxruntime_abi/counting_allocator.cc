// Allocators of the CPU's memory that tell what they gave. Linnet has no arena: what is allocated is what is in use.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>

#include "key_value_pairs.h"
#include "memory.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

struct CountingAllocator : Allocator {
  std::mutex mutex{};
  size_t in_use = 0, most_in_use = 0, largest = 0, count = 0, reserved = 0;
};

CountingAllocator& counts_of(const Allocator* allocator) {
  return *static_cast<CountingAllocator*>(const_cast<Allocator*>(allocator));
}

void* counted_alloc(Allocator* allocator, size_t bytes) {
  void* memory = cpu_allocator().alloc(&cpu_allocator(), bytes);
  if (!memory) return nullptr;
  CountingAllocator& counts = counts_of(allocator);
  const size_t given = ::malloc_usable_size(memory);
  const std::lock_guard lock(counts.mutex);
  ++counts.count;
  counts.in_use += given;
  counts.most_in_use = std::max(counts.most_in_use, counts.in_use);
  counts.largest = std::max(counts.largest, given);
  return memory;
}

void* counted_reserve(Allocator* allocator, size_t bytes) {
  void* memory = counted_alloc(allocator, bytes);
  const std::lock_guard lock(counts_of(allocator).mutex);
  if (memory) ++counts_of(allocator).reserved;
  return memory;
}

// Memory of another allocator may come back here, too.
void counted_free(Allocator* allocator, void* memory) {
  if (!memory) return;
  CountingAllocator& counts = counts_of(allocator);
  {
    const std::lock_guard lock(counts.mutex);
    counts.in_use -= std::min(counts.in_use, ::malloc_usable_size(memory));
  }
  std::free(memory);
}

const MemoryInfo* info_of_cpu(const Allocator*) { return &cpu_memory(); }

Status* counted_stats(const Allocator* allocator, KeyValuePairs** stats) {
  return create(stats, [&] {
    CountingAllocator& counts = counts_of(allocator);
    const std::lock_guard lock(counts.mutex);
    return new KeyValuePairs({{"InUse", std::to_string(counts.in_use)},
                              {"Limit", "-1"},
                              {"MaxAllocSize", std::to_string(counts.largest)},
                              {"MaxInUse", std::to_string(counts.most_in_use)},
                              {"NumAllocs", std::to_string(counts.count)},
                              {"NumReserves", std::to_string(counts.reserved)},
                              {"TotalAllocated", std::to_string(counts.in_use)}});
  });
}

}  // namespace

Allocator* new_allocator() {
  return new CountingAllocator{
      {kApiVersion, counted_alloc, counted_free, info_of_cpu, counted_reserve, counted_stats, nullptr, nullptr}};
}

bool is_own(const Allocator& allocator) {
  return allocator.alloc == cpu_allocator().alloc || allocator.alloc == counted_alloc;
}

void ReleaseAllocator(Allocator* allocator) noexcept {
  if (allocator && allocator->alloc == counted_alloc) delete &counts_of(allocator);
}

}  // namespace linnet::ort

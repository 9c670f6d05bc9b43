// Allocators of the CPU's memory that count their allocations. Linnet has no arena: all allocated memory is in use.
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

// The memory may have been allocated by another allocator.
void counted_free(Allocator* allocator, void* memory) {
  if (!memory) return;
  CountingAllocator& counts = counts_of(allocator);
  {
    const std::lock_guard lock(counts.mutex);
    counts.in_use -= std::min(counts.in_use, ::malloc_usable_size(memory));
  }
  std::free(memory);
}

Status* counted_stats(const Allocator* allocator, KeyValuePairs** stats) {
  return create(stats, [&] {
    CountingAllocator& counts = counts_of(allocator);
    const std::lock_guard lock(counts.mutex);
    const std::pair<const char*, size_t> numbers[] = {
        {"InUse", counts.in_use},         {"MaxAllocSize", counts.largest}, {"NumAllocs", counts.count},
        {"MaxInUse", counts.most_in_use}, {"NumReserves", counts.reserved}, {"TotalAllocated", counts.in_use}};
    std::map<std::string, std::string> texts;
    for (const auto& [name, number] : numbers) texts[name] = std::to_string(number);
    texts["Limit"] = "-1";
    return new KeyValuePairs(std::move(texts));
  });
}

}  // namespace

Allocator* new_allocator() {
  const auto info = cpu_allocator().info;
  return new CountingAllocator{
      {kApiVersion, counted_alloc, counted_free, info, counted_reserve, counted_stats, nullptr, nullptr}};
}

bool is_own(const Allocator& allocator) {
  return allocator.alloc == cpu_allocator().alloc || allocator.alloc == counted_alloc;
}

void ReleaseAllocator(Allocator* allocator) noexcept {
  if (allocator && allocator->alloc == counted_alloc) delete &counts_of(allocator);
}

}  // namespace linnet::ort

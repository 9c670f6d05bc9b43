#include "compile/pack_cache.h"

#include <algorithm>

#include "tensor/alignment.h"
#include "tensor/stored_contents.h"
#include "tensor/tensor_arena.h"

namespace linnet {
namespace {

// Less costs the system little.
constexpr size_t kLeastSpareBytes = size_t{16} << 10;

}  // namespace

Tensor PackCache::get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) {
  const std::shared_ptr<Entry> kept = entry(source, form);
  const std::lock_guard lock(kept->making);
  if (!kept->packed) kept->packed = find_or_make(source, form, make);
  Tensor& packed = kept->packed;
  return Tensor::share(packed.dtype(), packed.shape(), packed.raw(), kept);
}

std::shared_ptr<PackCache::Entry> PackCache::entry(const Tensor& source, const PackedForm& form) {
  const std::lock_guard lock(mutex_);
  const std::span<const int64_t> dims = source.shape().dims();
  std::weak_ptr<Entry>& slot = entries_[{source.address(), source.dtype(), {dims.begin(), dims.end()}, form}];
  std::shared_ptr<Entry> entry = slot.lock();
  if (!entry) {
    entry = std::make_shared<Entry>();
    entry->source = StoredContents::original(source);
    slot = entry;
  }
  return entry;
}

Tensor PackCache::find_or_make(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) {
  if (!files_) return make();
  {
    const std::lock_guard lock(files_mutex_);
    if (const Tensor found = files_->find(source, form)) return found;
  }
  Tensor made = make();
  const std::lock_guard lock(files_mutex_);
  files_->add(source, form, made);
  return made;
}

Tensor PackCache::memory(DType dtype, const Shape& shape) { return spare_.tensor(dtype, shape); }

void PackCache::free(Tensor source) {
  forget(source);
  spare_.add(std::move(source));
}

void PackCache::finish() {
  spare_.release();
  save();
}

void PackCache::save() {
  const std::lock_guard lock(files_mutex_);
  if (files_) files_->save();
}

void PackCache::forget(const Tensor& source) {
  const std::lock_guard lock(mutex_);
  for (auto slot = entries_.lower_bound({source.address()});
       slot != entries_.end() && slot->first.address == source.address();) {
    if (const auto entry = slot->second.lock()) {
      entry->source = {};
      of_freed_.push_back(entry);
    }
    slot = entries_.erase(slot);
  }
}

int64_t PackCache::bytes() const {
  std::vector<std::shared_ptr<Entry>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, slot] : entries_) alive.push_back(slot.lock());
    for (const auto& slot : of_freed_) alive.push_back(slot.lock());
  }
  int64_t total = 0;
  for (const auto& entry : alive) {
    if (!entry) continue;
    const std::lock_guard lock(entry->making);
    if (entry->packed) total += int64_t(entry->packed.bytes());
  }
  return total;
}

void PackCache::SpareMemory::add(Tensor tensor) {
  if (!tensor.exclusive() || tensor.bytes() < kLeastSpareBytes) return;
  const std::lock_guard lock(mutex_);
  const size_t bytes = tensor.bytes();
  auto* const data = static_cast<std::byte*>(tensor.raw());
  parts_.insert({bytes, {data, std::make_shared<const Tensor>(std::move(tensor))}});
}

Tensor PackCache::SpareMemory::tensor(DType dtype, const Shape& shape) {
  const std::lock_guard lock(mutex_);
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  const auto found = parts_.lower_bound(bytes);
  if (bytes < kLeastSpareBytes || found == parts_.end()) return Tensor(dtype, shape);
  const Part part = std::move(found->second);
  const size_t left = found->first - std::min(found->first, aligned(bytes));
  parts_.erase(found);
  if (left >= kLeastSpareBytes) parts_.insert({left, {part.data + aligned(bytes), part.owner}});
  return Tensor::share(dtype, shape, part.data, part.owner);
}

void PackCache::SpareMemory::release() {
  const std::lock_guard lock(mutex_);
  for (const auto& [bytes, part] : parts_) TensorArena::release(part.data, bytes);
  parts_.clear();
}

}  // namespace linnet

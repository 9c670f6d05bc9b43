#include "compile/pack_cache.h"

#include <algorithm>

#include "tensor/alignment.h"
#include "tensor/stored_contents.h"
#include "tensor/tensor_arena.h"

namespace linnet {
namespace {

// Reusing smaller blocks saves the system little work.
constexpr size_t kLeastSpareBytes = size_t{16} << 10;

}  // namespace

Tensor PackCache::get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) {
  const Key wanted = key(source, form);
  std::unique_lock lock(mutex_);
  const auto is_wanted = [&](const Key& other) { return other == wanted; };
  std::shared_ptr<Entry> entry = making_.find(
      lock, [&] { return find(wanted); }, is_wanted);
  if (!entry) {
    entry = std::make_shared<Entry>();
    entry->source = StoredContents::original(source);
    {
      const decltype(making_)::Turn turn(making_, lock, wanted);
      entry->packed = find_or_make(source, form, make);
    }
    sweeper_.sweep(entries_, [](const auto& slot) { return slot.second.expired(); });
    entries_[wanted] = entry;
  }
  lock.unlock();
  Tensor& packed = entry->packed;
  return Tensor::share(packed.dtype(), packed.shape(), packed.raw(), entry);
}

PackCache::Key PackCache::key(const Tensor& source, const PackedForm& form) {
  const std::span<const int64_t> dims = source.shape().dims();
  return {source.address(), source.dtype(), {dims.begin(), dims.end()}, form};
}

std::shared_ptr<PackCache::Entry> PackCache::find(const Key& key) const {
  const auto slot = entries_.find(key);
  return slot == entries_.end() ? nullptr : slot->second.lock();
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
  std::unique_lock lock(files_mutex_);
  const PackFiles::Packed added = files_ ? files_->take_added() : PackFiles::Packed();
  if (added.empty()) return;
  lock.unlock();
  const std::string path = files_->write(added);
  lock.lock();
  files_->read(path);
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
  std::vector<std::shared_ptr<Entry>> alive;  // released without the lock
  const std::lock_guard lock(mutex_);
  for (const auto& [key, slot] : entries_) alive.push_back(slot.lock());
  for (const auto& slot : of_freed_) alive.push_back(slot.lock());
  int64_t total = 0;
  for (const auto& entry : alive) total += entry ? int64_t(entry->packed.bytes()) : 0;
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

#include "compile/pack_cache.h"

#include "tensor/stored_tensor.h"

namespace linnet {

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
  if (!store_) return make();
  {
    const std::lock_guard lock(store_mutex_);
    if (const Tensor found = store_->find(source, form)) return found;
  }
  Tensor made = make();
  const std::lock_guard lock(store_mutex_);
  store_->add(source, form, made);
  return made;
}

void PackCache::save() {
  const std::lock_guard lock(store_mutex_);
  if (store_) store_->save();
}

void PackCache::forget(const Tensor& source) {
  const std::lock_guard lock(mutex_);
  for (auto slot = entries_.lower_bound({source.address()});
       slot != entries_.end() && slot->first.address == source.address();) {
    if (const auto entry = slot->second.lock()) {
      entry->source = {};
      forgotten_.push_back(entry);
    }
    slot = entries_.erase(slot);
  }
}

int64_t PackCache::bytes() const {
  std::vector<std::shared_ptr<Entry>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, slot] : entries_) alive.push_back(slot.lock());
    for (const auto& slot : forgotten_) alive.push_back(slot.lock());
  }
  int64_t total = 0;
  for (const auto& entry : alive) {
    if (!entry) continue;
    const std::lock_guard lock(entry->making);
    if (entry->packed) total += int64_t(entry->packed.bytes());
  }
  return total;
}

}  // namespace linnet

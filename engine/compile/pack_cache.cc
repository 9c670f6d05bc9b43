#include "compile/pack_cache.h"

#include "tensor/stored_tensor.h"

namespace linnet {

Tensor PackCache::get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) {
  const std::lock_guard lock(mutex_);
  const std::span<const int64_t> dims = source.shape().dims();
  std::weak_ptr<Entry>& slot = entries_[{source.address(), source.dtype(), {dims.begin(), dims.end()}, form}];
  std::shared_ptr<Entry> entry = slot.lock();
  if (!entry) {
    entry = std::make_shared<Entry>(Entry{find_or_make(source, form, make), StoredContents::original(source)});
    slot = entry;
  }
  Tensor& packed = entry->packed;
  return Tensor::share(packed.dtype(), packed.shape(), packed.raw(), entry);
}

Tensor PackCache::find_or_make(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) {
  if (!store_) return make();
  if (const Tensor found = store_->find(source, form)) return found;
  Tensor made = make();
  store_->add(source, form, made);
  return made;
}

void PackCache::save() {
  const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  int64_t total = 0;
  const auto add = [&](const std::weak_ptr<Entry>& slot) {
    if (const auto entry = slot.lock()) total += int64_t(entry->packed.bytes());
  };
  for (const auto& [key, slot] : entries_) add(slot);
  for (const auto& slot : forgotten_) add(slot);
  return total;
}

}  // namespace linnet

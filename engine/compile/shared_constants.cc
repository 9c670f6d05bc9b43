#include "compile/shared_constants.h"

#include "tensor/stored_contents.h"

namespace linnet {
namespace {

constexpr size_t kLeastSharedBytes = size_t{4} << 10;

Checksum checksum(const Tensor& constant) {
  Checksummer sum;
  sum.add({static_cast<const std::byte*>(constant.raw()), constant.bytes()});
  return sum.result();
}

Tensor of(const std::shared_ptr<Tensor>& kept) {
  return Tensor::share(kept->dtype(), kept->shape(), kept->raw(), kept);
}

}  // namespace

Tensor SharedConstants::share(const Tensor& constant) {
  if (is_object(constant.dtype()) || constant.bytes() < kLeastSharedBytes || !StoredContents::in_memory(constant)) {
    return constant;
  }
  const Checksum sum = checksum(constant);
  const std::lock_guard lock(mutex_);
  std::erase_if(constants_, [](const auto& entry) { return entry.second.expired(); });
  for (auto [entry, end] = constants_.equal_range(sum); entry != end; ++entry) {
    const auto kept = entry->second.lock();
    if (kept && identical(*kept, constant)) return of(kept);
  }
  const auto kept = std::make_shared<Tensor>(constant);
  constants_.emplace(sum, kept);
  return of(kept);
}

}  // namespace linnet

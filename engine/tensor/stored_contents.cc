#include "tensor/stored_contents.h"

#include <cstring>

namespace linnet {

Tensor StoredContents::tensor(DType dtype, const Shape& shape, std::shared_ptr<const ContentsSource> source) {
  const auto contents = std::make_shared<StoredContents>(dtype, shape, std::move(source));
  Tensor result = Tensor::share(dtype, shape, contents.get(), contents);
  result.stored_ = true;
  return result;
}

Tensor StoredContents::borrow(const Tensor& tensor) {
  if (!tensor.stored_) return tensor;
  const auto contents = std::static_pointer_cast<const StoredContents>(tensor.owner_);
  Tensor result = Tensor::share(tensor.dtype_, tensor.shape_, tensor.data_, std::make_shared<StoredContents>(contents));
  result.stored_ = true;
  return result;
}

Tensor StoredContents::original(const Tensor& tensor) {
  if (!tensor.stored_) return tensor;
  const auto* const contents = static_cast<const StoredContents*>(tensor.owner_.get());
  if (!contents->origin_) return tensor;
  Tensor result = tensor;
  result.owner_ = contents->origin_;
  return original(result);
}

const ContentsSource* StoredContents::source(const Tensor& tensor) {
  return tensor.stored_ ? static_cast<const StoredContents*>(original(tensor).owner_.get())->source_.get() : nullptr;
}

void StoredContents::read(const Tensor& tensor, std::span<std::byte> to, size_t from) {
  if (!in_memory(tensor)) return source(tensor)->read(to, from);
  std::memcpy(to.data(), static_cast<const std::byte*>(tensor.raw()) + from, to.size());
}

bool StoredContents::in_memory(const Tensor& tensor) {
  if (!tensor.stored_) return true;
  return static_cast<const StoredContents*>(tensor.owner_.get())->data_.load(std::memory_order_acquire) != nullptr;
}

StoredContents::StoredContents(DType dtype, const Shape& shape, std::shared_ptr<const ContentsSource> source)
    : dtype_(dtype), shape_(shape), source_(std::move(source)) {}

const void* StoredContents::data() const {
  if (const void* known = data_.load(std::memory_order_acquire)) return known;
  auto contents = share();
  const std::lock_guard lock(mutex_);
  if (!kept_) kept_ = std::move(contents);
  data_.store(kept_->raw(), std::memory_order_release);
  return kept_->raw();
}

std::shared_ptr<const Tensor> StoredContents::share() const {
  if (origin_) return origin_->share();
  const std::lock_guard lock(mutex_);
  auto contents = shared_.lock();
  if (!contents) shared_ = contents = std::make_shared<const Tensor>(read());
  return contents;
}

Tensor StoredContents::read() const {
  const MemoryAccount::Scope scope(account_);
  Tensor result(dtype_, shape_);
  source_->read({static_cast<std::byte*>(result.raw()), result.bytes()}, 0);
  return result;
}

}  // namespace linnet

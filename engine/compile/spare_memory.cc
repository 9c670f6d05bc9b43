#include "compile/spare_memory.h"

#include <algorithm>

#include "tensor/alignment.h"
#include "tensor/tensor_arena.h"

namespace linnet {
namespace {

// Less costs the system little.
constexpr size_t kLeastSpareBytes = size_t{16} << 10;

}  // namespace

void SpareMemory::add(Tensor tensor) {
  if (!tensor.exclusive() || tensor.bytes() < kLeastSpareBytes) return;
  const std::lock_guard lock(mutex_);
  const size_t bytes = tensor.bytes();
  auto* const data = static_cast<std::byte*>(tensor.raw());
  parts_.insert({bytes, {data, std::make_shared<const Tensor>(std::move(tensor))}});
}

Tensor SpareMemory::tensor(DType dtype, const Shape& shape) {
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

void SpareMemory::release() {
  const std::lock_guard lock(mutex_);
  for (const auto& [bytes, part] : parts_) TensorArena::release(part.data, bytes);
  parts_.clear();
}

}  // namespace linnet

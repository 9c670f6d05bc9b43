#include "tensor/tensor_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "tensor/memory_account.h"

namespace linnet {
namespace {

/// A part of a block, which counts for the account as long as it lives.
class Part {
 public:
  Part(std::shared_ptr<std::byte> block, std::byte* data, size_t bytes)
      : block_(std::move(block)), data_(data), bytes_(bytes), counted_(bytes) {}
  ~Part() {
    TensorArena::release(data_, bytes_);
    counted_.give_back();
  }
  Part(const Part&) = delete;

 private:
  std::shared_ptr<std::byte> block_;
  std::byte* data_;
  size_t bytes_;
  CountedBytes counted_;
};

}  // namespace

void TensorArena::release(std::byte* data, size_t bytes) {
  const auto page = size_t(::sysconf(_SC_PAGESIZE));
  const size_t skipped = (page - reinterpret_cast<uintptr_t>(data) % page) % page;
  if (bytes >= skipped + page) ::madvise(data + skipped, (bytes - skipped) / page * page, MADV_DONTNEED);
}

Tensor TensorArena::tensor(DType dtype, const Shape& shape) {
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  if (bytes == 0 || bytes > bytes_ - used_) return Tensor(dtype, shape);
  if (!block_) {
    const MemoryAccount::Scope uncounted;
    const auto block = std::make_shared<Tensor>(DType::kUint8, Shape{int64_t(bytes_)});
    block_ = {block, static_cast<std::byte*>(block->raw())};
  }
  std::byte* const data = block_.get() + used_;
  used_ += std::min(bytes_ - used_, aligned(bytes));
  Tensor result = Tensor::share(dtype, shape, data, std::make_shared<Part>(block_, data, bytes));
  result.allocated_ = true;
  return result;
}

}  // namespace linnet

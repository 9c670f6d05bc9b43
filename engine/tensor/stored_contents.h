#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "linnet/tensor.h"
#include "tensor/memory_account.h"

namespace linnet {

/// Reads the contents of a tensor of numbers on request. Thread-safe.
class ContentsSource {
 public:
  virtual ~ContentsSource() = default;
  /// Reads the bytes from offset `from`. Throws Error(kIo) if they have changed.
  virtual void read(std::span<std::byte> to, size_t from) const = 0;
  /// The number of steps in which the contents are computed from stored ones.
  virtual int depth() const { return 0; }
};

/// Contents that are read when they are first requested, and then kept as long as their tensors live. Thread-safe.
class StoredContents {
 public:
  /// A tensor of numbers with the contents that the source reads.
  static Tensor tensor(DType dtype, const Shape& shape, std::shared_ptr<const ContentsSource> source);
  /// The same tensor, whose contents are freed with the last copy of the result, unless others have requested them. If
  /// the contents are not stored, returns a copy.
  static Tensor borrow(const Tensor& tensor);
  /// The tensor from which borrow() made this one.
  static Tensor original(const Tensor& tensor);
  static bool is_stored(const Tensor& tensor) { return tensor.stored_; }
  /// The source that reads the contents; nullptr if they are not stored.
  static const ContentsSource* source(const Tensor& tensor);
  /// Reads the bytes from offset `from` without keeping the contents.
  static void read(const Tensor& tensor, std::span<std::byte> to, size_t from);
  /// The object that keeps the tensor's memory alive.
  static const std::shared_ptr<const void>& owner(const Tensor& tensor) { return tensor.owner_; }
  /// The tensor, kept alive by `owner` instead.
  static Tensor with_owner(Tensor tensor, std::shared_ptr<const void> owner) {
    tensor.owner_ = std::move(owner);
    return tensor;
  }
  /// Whether the tensor's contents are in memory.
  static bool in_memory(const Tensor& tensor);

  StoredContents(DType dtype, const Shape& shape, std::shared_ptr<const ContentsSource> source);
  explicit StoredContents(std::shared_ptr<const StoredContents> origin) : origin_(std::move(origin)) {}
  StoredContents(const StoredContents&) = delete;

  const void* data() const;

 private:
  std::shared_ptr<const Tensor> share() const;
  Tensor read() const;

  DType dtype_{};
  Shape shape_;
  std::shared_ptr<const ContentsSource> source_;
  std::shared_ptr<const StoredContents> origin_;  // of borrowed contents
  std::shared_ptr<MemoryAccount> account_ = MemoryAccount::current();
  mutable std::mutex mutex_;
  mutable std::weak_ptr<const Tensor> shared_;  // by all who have requested it
  mutable std::shared_ptr<const Tensor> kept_;
  mutable std::atomic<const void*> data_{nullptr};  // of kept_
};

}  // namespace linnet

#pragma once

#include <memory>

#include "tensor/stored_contents.h"

namespace linnet {

/// A tensor, as long as somebody else keeps its memory alive. One of memory that nobody owns is never there.
class WeakTensor {
 public:
  WeakTensor() = default;
  explicit WeakTensor(const Tensor& tensor)
      : tensor_(StoredContents::with_owner(tensor, nullptr)), owner_(StoredContents::owner(tensor)) {}

  /// Made of no tensor.
  bool empty() const { return !tensor_; }
  bool expired() const { return owner_.expired(); }
  /// No tensor where it is gone.
  Tensor lock() const {
    auto owner = owner_.lock();
    return owner ? StoredContents::with_owner(tensor_, std::move(owner)) : Tensor();
  }
  /// The same memory, type and shape, while it is there.
  bool is(const Tensor& other) const {
    return !expired() && tensor_.address() == other.address() && tensor_.dtype() == other.dtype() &&
           tensor_.shape() == other.shape();
  }

 private:
  Tensor tensor_;  // without owner
  std::weak_ptr<const void> owner_;
};

}  // namespace linnet

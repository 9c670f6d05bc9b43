#pragma once

#include <memory>

#include "tensor/stored_contents.h"

namespace linnet {

/// A tensor as long as something else keeps its memory alive. A tensor without an owner counts as expired.
class WeakTensor {
 public:
  WeakTensor() = default;
  explicit WeakTensor(const Tensor& tensor)
      : tensor_(StoredContents::with_owner(tensor, nullptr)), owner_(StoredContents::owner(tensor)) {}

  /// Whether this was made without a tensor.
  bool empty() const { return !tensor_; }
  bool expired() const { return owner_.expired(); }
  /// The tensor, or an empty one if it is expired.
  Tensor lock() const {
    auto owner = owner_.lock();
    return owner ? StoredContents::with_owner(tensor_, std::move(owner)) : Tensor();
  }
  /// Whether this is not expired and has the same memory, type and shape.
  bool is(const Tensor& other) const {
    return !expired() && tensor_.address() == other.address() && tensor_.dtype() == other.dtype() &&
           tensor_.shape() == other.shape();
  }

 private:
  Tensor tensor_;  // without owner
  std::weak_ptr<const void> owner_;
};

}  // namespace linnet

#pragma once

#include "tensor/memory_account.h"

namespace linnet {

/// Memory other than that of tensors. It counts for the account that was current at construction as long as this object
/// lives.
class CountedMemory {
 public:
  CountedMemory() : account_(MemoryAccount::current()) {}
  ~CountedMemory() {
    if (account_) account_->give_back(bytes_);
  }
  CountedMemory(const CountedMemory&) = delete;

  /// Throws Error(kLimit) if the account has less left.
  void add(size_t bytes) {
    if (!account_) return;
    account_->take(bytes);
    bytes_ += bytes;
  }

 private:
  std::shared_ptr<MemoryAccount> account_;
  size_t bytes_ = 0;
};

}  // namespace linnet

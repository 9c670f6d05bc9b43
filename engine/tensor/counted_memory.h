#pragma once

#include "tensor/memory_account.h"

namespace linnet {

/// Memory beside tensors, counted for the account that was current when it began, as long as this lives.
class CountedMemory {
 public:
  CountedMemory() : account_(MemoryAccount::current()) {}
  ~CountedMemory() {
    if (account_) account_->give_back(bytes_);
  }
  CountedMemory(const CountedMemory&) = delete;

  /// Throws Error(kLimit) where that is too much.
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

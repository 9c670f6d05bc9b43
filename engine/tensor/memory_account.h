#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "linnet/export.h"

namespace linnet {

/// Counts the bytes of existing tensors that one load, or the runs of one context, have allocated, whatever holds them.
/// Thread-safe.
class LINNET_API MemoryAccount {
 public:
  /// An account with this limit; nullptr if the limit is 0.
  static std::shared_ptr<MemoryAccount> of(int64_t most);
  /// The current account, or if it is nullptr, an account with this limit.
  static std::shared_ptr<MemoryAccount> current_or(int64_t most) { return current() ? current() : of(most); }
  explicit MemoryAccount(size_t most) : most_(most) {}

  /// Call it before memory is allocated. Throws Error(kLimit) if the total would exceed the limit.
  void take(size_t bytes);
  void give_back(size_t bytes) noexcept { alive_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t alive() const { return alive_.load(std::memory_order_relaxed); }
  size_t left() const { return most_ - std::min(most_, alive()); }

  /// The account that counts the tensors that this thread makes; may be nullptr.
  static const std::shared_ptr<MemoryAccount>& current();

  /// Makes an account the current one of this thread. It does not count references, because chunks of work on many
  /// threads begin with it; the pointer must outlive the scope.
  class LINNET_API Scope {
   public:
    Scope();  ///< no account
    explicit Scope(const std::shared_ptr<MemoryAccount>& account);
    explicit Scope(std::shared_ptr<MemoryAccount>&&) = delete;
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    const std::shared_ptr<MemoryAccount>* before_;
  };

 private:
  const size_t most_;
  std::atomic<size_t> alive_{0};
};

/// Memory that counts for the current account until give_back().
class CountedBytes {
 public:
  explicit CountedBytes(size_t bytes);
  void give_back() const noexcept;
  /// Counts it as if it had always had this size.
  void resize(size_t bytes);

 private:
  std::shared_ptr<MemoryAccount> account_;
  size_t bytes_;
};

}  // namespace linnet

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "linnet/export.h"

namespace linnet {

/// Bytes of the tensors that one load, or the runs of one context, have allocated and that still live, whoever holds
/// them. Thread-safe.
class LINNET_API MemoryAccount {
 public:
  /// That of a limit; none where it is 0.
  static std::shared_ptr<MemoryAccount> of(int64_t most);
  /// The current one where there is one, else that of a limit.
  static std::shared_ptr<MemoryAccount> current_or(int64_t most) { return current() ? current() : of(most); }
  explicit MemoryAccount(size_t most) : most_(most) {}

  /// Before memory is asked for. Throws Error(kLimit) where more than the limit would live.
  void take(size_t bytes);
  void give_back(size_t bytes) noexcept { alive_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t alive() const { return alive_.load(std::memory_order_relaxed); }
  size_t left() const { return most_ - std::min(most_, alive()); }

  /// What tensors that this thread makes count for; may be none.
  static const std::shared_ptr<MemoryAccount>& current();

  /// Makes an account, or none, the current one of this thread, without counting who holds it: chunks of work, of many
  /// threads, begin with that. The pointer must live as long.
  class LINNET_API Scope {
   public:
    Scope();  ///< of none
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

/// Memory that counts for the current account until it is freed.
class CountedBytes {
 public:
  explicit CountedBytes(size_t bytes);
  void give_back() const noexcept;
  /// As if it had been so many bytes from the beginning.
  void resize(size_t bytes);

 private:
  std::shared_ptr<MemoryAccount> account_;
  size_t bytes_;
};

}  // namespace linnet

#include "tensor/memory_account.h"

#include <utility>

#include "linnet/error.h"

namespace linnet {
namespace {

const std::shared_ptr<MemoryAccount> kNone;
thread_local const std::shared_ptr<MemoryAccount>* current_account = &kNone;

}  // namespace

std::shared_ptr<MemoryAccount> MemoryAccount::of(int64_t most) {
  return most > 0 ? std::make_shared<MemoryAccount>(size_t(most)) : nullptr;
}

void MemoryAccount::take(size_t bytes) {
  size_t alive = alive_.load(std::memory_order_relaxed);
  do {
    if (bytes <= most_ && alive <= most_ - bytes) continue;
    throw Error(ErrorKind::kLimit,
                str("needs ", bytes, " bytes besides ", alive, " in use, more than the limit of ", most_));
  } while (!alive_.compare_exchange_weak(alive, alive + bytes, std::memory_order_relaxed));
}

const std::shared_ptr<MemoryAccount>& MemoryAccount::current() { return *current_account; }

MemoryAccount::Scope::Scope() : Scope(kNone) {}
MemoryAccount::Scope::Scope(const std::shared_ptr<MemoryAccount>& account)
    : before_(std::exchange(current_account, &account)) {}
MemoryAccount::Scope::~Scope() { current_account = before_; }

CountedBytes::CountedBytes(size_t bytes) : account_(MemoryAccount::current()), bytes_(bytes) {
  if (account_) account_->take(bytes_);
}

void CountedBytes::give_back() const noexcept {
  if (account_) account_->give_back(bytes_);
}

}  // namespace linnet

#include "tensor/memory_account.h"

#include <new>
#include <utility>

#include "linnet/error.h"
#include "tensor/counted_vector.h"

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

void CountedBytes::resize(size_t bytes) {
  if (account_ && bytes > bytes_) account_->take(bytes - bytes_);
  if (account_ && bytes < bytes_) account_->give_back(bytes_ - bytes);
  bytes_ = bytes;
}

namespace {

/// The header of counted memory. The account may end before the memory, which may be freed by a thread that works for
/// another account.
using Charged = std::shared_ptr<MemoryAccount>;
constexpr size_t kChargedBytes = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
static_assert(sizeof(Charged) <= kChargedBytes);

}  // namespace

void* allocate_counted(size_t bytes) {
  const Charged& account = MemoryAccount::current();
  const size_t total = bytes + kChargedBytes;
  if (account) account->take(total);
  void* const memory = ::operator new(total, std::nothrow);
  if (!memory) {
    if (account) account->give_back(total);
    throw std::bad_alloc();
  }
  new (memory) Charged(account);
  return static_cast<std::byte*>(memory) + kChargedBytes;
}

void free_counted(void* memory, size_t bytes) noexcept {
  void* const begin = static_cast<std::byte*>(memory) - kChargedBytes;
  auto* const account = static_cast<Charged*>(begin);
  if (*account) (*account)->give_back(bytes + kChargedBytes);
  std::destroy_at(account);
  ::operator delete(begin);
}

}  // namespace linnet

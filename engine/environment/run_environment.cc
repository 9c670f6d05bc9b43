#include "environment/run_environment.h"

#include <algorithm>
#include <memory_resource>
#include <random>
#include <string>
#include <utility>

#include "environment/checked_executor.h"
#include "linnet/tensor.h"
#include "tensor/alignment.h"
#include "tensor/held_bytes.h"
#include "tensor/memory_account.h"

namespace linnet {

namespace {

/// A tensor whose numbers are stored in memory of `memory`, which must outlive it; on the heap for strings, containers
/// and nullptr. Throws Error(kLimit) if there is not enough memory.
Tensor allocate_from(std::pmr::memory_resource* memory, DType dtype, const Shape& shape) {
  if (!memory || is_object(dtype)) return {dtype, shape};
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  const CountedBytes counted(bytes);
  try {
    void* data = memory->allocate(bytes, kAlignment);
    const auto free = [memory, bytes, counted](void* p) {
      memory->deallocate(p, bytes, kAlignment);
      counted.give_back();
    };
    return Tensor::share(dtype, shape, data, std::shared_ptr<const void>(data, free));
  } catch (const std::bad_alloc&) {
    counted.give_back();
    throw Error(ErrorKind::kLimit, str("the memory resource has no ", bytes, " bytes"));
  }
}

thread_local const RunEnvironment* current_environment = nullptr;

}  // namespace

RunEnvironment::RunEnvironment(const ContextOptions& options, std::shared_ptr<Executor> executor)
    : options_(options), account_(MemoryAccount::current_or(options.limits.memory_bytes)) {
  if (!options_.executor) options_.executor = std::move(executor);
  options_.executor = make_checked_executor(std::move(options_.executor));
}

RunEnvironment::RunEnvironment(const ContextOptions& options, const char* what, std::shared_ptr<MemoryAccount> account,
                               int64_t chunks)
    : options_(options),
      what_(what),
      account_(std::move(account)),
      checks_left_(chunks > 0 ? std::make_unique<std::atomic<int64_t>>(chunks) : nullptr) {
  options_.executor = make_checked_executor(make_serial_executor());
  const RunEnvironment* outer = current();
  if (outer) cancellation_ = outer->cancellation_;
  begin(outer ? outer->deadline_ : kNoDeadline);
}

RunEnvironment RunEnvironment::loading(const Limits& limits, std::shared_ptr<MemoryAccount> account) {
  return {{.limits = limits}, "loading", std::move(account), 0};
}

RunEnvironment RunEnvironment::folding(int64_t memory_bytes, int64_t checks) {
  Limits limits;
  limits.memory_bytes = memory_bytes;
  return {{.limits = limits}, "folding", MemoryAccount::current(), checked_mul(checks, kChunksOfCheck)};
}

Tensor RunEnvironment::allocate(DType dtype, const Shape& shape) const {
  return allocate_from(options_.memory, dtype, shape);
}

void RunEnvironment::check_memory(size_t bytes) const {
  const auto most = size_t(std::max<int64_t>(options_.limits.memory_bytes, 0));
  if (most > 0 && bytes > most) {
    throw Error(ErrorKind::kLimit, str("the run needs ", bytes, " bytes, more than the limit of ", most));
  }
}

void RunEnvironment::take_text(size_t bytes) const {
  if (!account_) return;
  account_->take(bytes);
  texts_.fetch_add(bytes, std::memory_order_relaxed);
}

RunEnvironment::Texts::~Texts() {
  if (!environment_.account_) return;
  environment_.account_->give_back(environment_.texts_.exchange(before_, std::memory_order_relaxed) - before_);
}

void RunEnvironment::begin_run(const RunOptions& options) {
  cancellation_ = options.cancellation;
  observer_ = options.observer ? options.observer : options_.observer;
  begin(options.deadline);
}

void RunEnvironment::begin(std::chrono::steady_clock::time_point latest) {
  deadline_ = latest;
  allowed_ms_ = 0;
  const std::chrono::milliseconds most(options_.limits.deadline_ms);
  if (most.count() <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  // Compares in milliseconds, because a large limit may not be representable in the clock's finer unit.
  if (now >= deadline_) return;
  if (most > std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - now)) return;
  deadline_ = now + most;
  allowed_ms_ = most.count();
}

uint64_t RunEnvironment::draw_seed() {
  if (options_.seed) return *options_.seed + seeds_drawn_++;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void RunEnvironment::check(int64_t chunks) const {
  if (cancellation_ && cancellation_->cancelled()) throw Error(ErrorKind::kCancelled, str(what_, " was cancelled"));
  check_deadline({});
  if (checks_left_ && checks_left_->fetch_sub(chunks, std::memory_order_relaxed) <= 0) {
    throw Error(ErrorKind::kLimit, "too long to be computed ahead of a run");
  }
}

void RunEnvironment::check_ahead(std::chrono::nanoseconds work) const {
  check(kChunksOfCheck * (1 + work / std::chrono::milliseconds(1)));
  check_deadline(work);
}

void RunEnvironment::check_deadline(std::chrono::nanoseconds ahead) const {
  if (deadline_ == kNoDeadline) return;
  if (const auto now = std::chrono::steady_clock::now(); now <= deadline_ && deadline_ - now >= ahead) return;
  throw Error(ErrorKind::kLimit, allowed_ms_ > 0 ? str(what_, " exceeds the deadline of ", allowed_ms_, " ms")
                                                 : str(what_, " exceeds its deadline"));
}

const RunEnvironment* RunEnvironment::current() { return current_environment; }

RunEnvironment::Scope::Scope(const RunEnvironment& environment)
    : before_(std::exchange(current_environment, &environment)), account_(environment.account()) {}
RunEnvironment::Scope::~Scope() { current_environment = before_; }

void check_current() {
  if (current_environment) current_environment->check();
}

void check_current_ahead(std::chrono::nanoseconds work) {
  if (current_environment) current_environment->check_ahead(work);
}

void count_text(size_t characters) {
  static const size_t kInPlace = std::string().capacity();
  if (current_environment && characters > kInPlace) current_environment->take_text(characters + kTextBlockBytes);
}

RunContext& run_context(KernelContext& context) {
  auto* const run = dynamic_cast<RunContext*>(&context);
  if (!run) throw Error(ErrorKind::kInternal, "control flow needs a context of Linnet's own");
  return *run;
}

RunEnvironment& run_environment(KernelContext& context) { return run_context(context).environment(); }

}  // namespace linnet

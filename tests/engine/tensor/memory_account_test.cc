#include "tensor/memory_account.h"

#include <gtest/gtest.h>

#include <thread>

#include "linnet/containers.h"
#include "linnet/tensor.h"
#include "support/run_op.h"
#include "tensor/counted_vector.h"
#include "tensor/held_bytes.h"

namespace linnet::testing {
namespace {

Tensor bytes(int64_t count) { return {DType::kUint8, {count}}; }

/// Returns what a tensor counts in addition to its elements.
size_t overhead() {
  const auto account = MemoryAccount::of(1 << 20);
  const MemoryAccount::Scope scope(account);
  const Tensor none = bytes(0);
  return account->alive();
}

TEST(MemoryAccount, CountsTensorsAsLongAsTheyLive) {
  const auto account = MemoryAccount::of(10'000);
  Tensor kept;
  {
    const MemoryAccount::Scope scope(account);
    const Tensor first = bytes(300);
    kept = bytes(200);
    EXPECT_EQ(account->alive(), 500 + 2 * overhead());
  }
  EXPECT_EQ(account->alive(), 200 + overhead());
  kept = bytes(100'000);
  EXPECT_EQ(account->alive(), 0u);
}

TEST(MemoryAccount, RefusesWhatTogetherIsTooMuch) {
  const auto more = int64_t(overhead());
  const auto account = MemoryAccount::of(10'000);
  const MemoryAccount::Scope scope(account);
  Tensor first = bytes(6'000 - more);
  expect_error(ErrorKind::kLimit, "more than the limit of 10000", [&] { bytes(4'001 - more); });
  expect_error(ErrorKind::kLimit, "more than the limit of 10000", [] { Tensor(DType::kString, {1000}); });
  EXPECT_EQ(bytes(4'000 - more).size(), 4'000 - more);
  first = {};
  EXPECT_EQ(bytes(10'000 - more).size(), 10'000 - more);
  EXPECT_EQ(account->alive(), 0u);
}

TEST(MemoryAccount, CountsTextAndElementsThatAValueGotLater) {
  const auto account = MemoryAccount::of(100'000);
  const MemoryAccount::Scope scope(account);
  Tensor texts(DType::kString, {2});
  const size_t empty = account->alive();
  texts.data<std::string>()[1].assign(5'000, 'a');
  count_held(texts);
  EXPECT_GE(account->alive(), empty + 5'000);
  count_held(texts);
  EXPECT_LT(account->alive(), empty + 10'000);
  const size_t before = account->alive();
  {
    const Tensor sequence = Tensor::scalar(Sequence{std::vector<Tensor>(100, texts)});
    count_held(sequence);
    EXPECT_GE(account->alive(), before + 100 * sizeof(Tensor));
    EXPECT_LT(account->alive(), before + 200 * sizeof(Tensor));
  }
  EXPECT_EQ(account->alive(), before);
  texts.data<std::string>()[0].assign(200'000, 'a');
  expect_error(ErrorKind::kLimit, "more than the limit", [&] { count_held(texts); });
  texts = {};
  EXPECT_EQ(account->alive(), 0u);
}

TEST(CountedVector, CountsForTheAccountThatItWasMadeFor) {
  const auto account = MemoryAccount::of(10'000), other = MemoryAccount::of(10'000);
  CountedVector<int64_t> moved;
  {
    const MemoryAccount::Scope scope(account);
    CountedVector<int64_t> numbers(500);
    EXPECT_GE(account->alive(), 4'000u);
    EXPECT_LT(account->alive(), 4'100u);
    expect_error(ErrorKind::kLimit, "more than the limit of 10000", [&] { numbers.reserve(1'000); });
    EXPECT_LT(account->alive(), 4'100u);
    const MemoryAccount::Scope within(other);
    moved = std::move(numbers);
  }
  EXPECT_GE(account->alive(), 4'000u);
  EXPECT_EQ(other->alive(), 0u);
  std::thread([&] { CountedVector<int64_t>().swap(moved); }).join();
  EXPECT_EQ(account->alive(), 0u);
  EXPECT_EQ(CountedVector<int64_t>(5).size(), 5u);  // without an account
  EXPECT_THROW(CountedVector<int64_t>(CountedVector<int64_t>().max_size() + 1), std::length_error);
}

TEST(CountedVector, OutlivesWhoeverHeldTheAccount) {
  CountedVector<int64_t> kept;
  {
    const auto account = MemoryAccount::of(10'000);
    const MemoryAccount::Scope scope(account);
    kept.resize(100);
  }
  EXPECT_EQ(kept.size(), 100u);
}

TEST(MemoryAccount, IsThatOfTheInnermostScope) {
  const auto outer = MemoryAccount::of(10), inner = MemoryAccount::of(20);
  const MemoryAccount::Scope around(outer);
  {
    const MemoryAccount::Scope within(inner);
    EXPECT_EQ(MemoryAccount::current(), inner);
  }
  EXPECT_EQ(MemoryAccount::current(), outer);
  EXPECT_EQ(MemoryAccount::of(0), nullptr);
}

}  // namespace
}  // namespace linnet::testing

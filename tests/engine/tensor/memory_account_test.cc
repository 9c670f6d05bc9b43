#include "tensor/memory_account.h"

#include <gtest/gtest.h>

#include "linnet/tensor.h"
#include "support/run_op.h"

namespace linnet {
namespace {

Tensor bytes(int64_t count) { return {DType::kUint8, {count}}; }

TEST(MemoryAccount, CountsTensorsAsLongAsTheyLive) {
  const auto account = MemoryAccount::of(1000);
  Tensor kept;
  {
    const MemoryAccount::Scope scope(account);
    const Tensor first = bytes(300);
    kept = bytes(200);
    EXPECT_EQ(account->alive(), 500u);
  }
  EXPECT_EQ(account->alive(), 200u);
  kept = bytes(100'000);
  EXPECT_EQ(account->alive(), 0u);
}

TEST(MemoryAccount, RefusesWhatTogetherIsTooMuch) {
  const auto account = MemoryAccount::of(1000);
  const MemoryAccount::Scope scope(account);
  Tensor first = bytes(600);
  testing::expect_error(ErrorKind::kLimit, "more than the limit of 1000", [] { bytes(401); });
  testing::expect_error(ErrorKind::kLimit, "more than the limit of 1000", [] { Tensor(DType::kString, {100}); });
  EXPECT_EQ(bytes(400).size(), 400);
  first = {};
  EXPECT_EQ(bytes(1000).size(), 1000);
  EXPECT_EQ(account->alive(), 0u);
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
}  // namespace linnet

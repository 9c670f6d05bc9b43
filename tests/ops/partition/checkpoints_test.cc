#include "partition/checkpoints.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Makes a cancelled run the current run of this thread.
class CancelledRun {
 public:
  CancelledRun() : environment_(ContextOptions{}, make_serial_executor()) {
    const auto token = std::make_shared<CancellationToken>();
    token->cancel();
    environment_.begin_run({.cancellation = token});
    scope_.emplace(environment_);
  }

 private:
  RunEnvironment environment_;
  std::optional<RunEnvironment::Scope> scope_;
};

void expect_cancelled(const std::function<void()>& work) {
  expect_error(ErrorKind::kCancelled, "the run was cancelled", work);
}

std::vector<int64_t> shuffled(int64_t n) {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
  return numbers;
}

constexpr int64_t kMany = 200'000;

TEST(Checkpoints, AskAfterEnoughWorkOfAnySize) {
  const CancelledRun run;
  Checkpoints checkpoints;
  for (int64_t left = Checkpoints::kWork; left > 2; left -= 2) checkpoints.add(1);
  expect_cancelled([&] { checkpoints.add(1); });
  expect_cancelled([] { Checkpoints().add(int64_t{1} << 62); });
}

TEST(Checkpoints, AskAfterManyCallsWithoutWork) {
  const CancelledRun run;
  Checkpoints checkpoints;
  for (int64_t left = Checkpoints::kWork; left > 1; left -= 1) checkpoints.add(0);
  expect_cancelled([&] { checkpoints.add(0); });
}

TEST(Checkpoints, AskNothingWhereNobodyRuns) { Checkpoints().add(int64_t{1} << 62); }

TEST(Checkpoints, PartsMakeUpAllItems) {
  for (const int64_t work : {int64_t{0}, int64_t{1}, int64_t{300}, int64_t{1} << 40}) {
    for (const int64_t items : {0, 1, 4'000, 10'000}) {
      int64_t next = 0;
      Checkpoints().in_parts(items, work, [&](int64_t begin, int64_t end) {
        EXPECT_EQ(begin, next);
        EXPECT_LT(begin, end);
        next = end;
      });
      EXPECT_EQ(next, items) << work;
    }
  }
}

TEST(Checkpoints, AskBetweenParts) {
  const CancelledRun run;
  int parts = 0;
  expect_cancelled([&] { Checkpoints().in_parts(kMany, 100, [&](int64_t, int64_t) { ++parts; }); });
  EXPECT_LE(parts, 2);
}

TEST(Checkpoints, SortsManyAndFew) {
  for (const int64_t n : {int64_t{3}, kMany}) {
    std::vector<int64_t> sorted = shuffled(n), want = sorted;
    Checkpoints().sort(sorted.begin(), sorted.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(sorted, want);
    std::vector<int64_t> falling = shuffled(n);
    Checkpoints().sort(falling.begin(), falling.end(), std::greater<>(), 64);
    std::reverse(want.begin(), want.end());
    EXPECT_EQ(falling, want);
    std::vector<int64_t> parted = shuffled(n);
    Checkpoints().nth_element(parted.begin(), parted.begin() + n / 2, parted.end());
    EXPECT_EQ(parted[size_t(n / 2)], n / 2);
  }
}

TEST(Checkpoints, AskWhileManyAreSorted) {
  const CancelledRun run;
  std::vector<int64_t> numbers = shuffled(kMany);
  expect_cancelled([&] { Checkpoints().sort(numbers.begin(), numbers.end()); });
  expect_cancelled([&] {
    Checkpoints checkpoints;
    for (int i = 0; i < 10; ++i) checkpoints.nth_element(numbers.begin(), numbers.begin() + 100, numbers.end());
  });
}

}  // namespace
}  // namespace linnet::testing

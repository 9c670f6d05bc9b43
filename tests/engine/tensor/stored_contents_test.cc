#include "tensor/stored_contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Reads bytes of value 7, or throws an Error.
class Sevens final : public ContentsSource {
 public:
  void read(std::span<std::byte> to, size_t) const override {
    if (fails) throw Error(ErrorKind::kIo, "gone");
    ++reads;
    std::fill(to.begin(), to.end(), std::byte{7});
  }

  mutable std::atomic<int> reads{0};
  bool fails = false;
};

constexpr size_t kBytes = 1000;

/// Whether the account counts exactly one tensor of this size.
bool holds_once(const MemoryAccount& account) { return account.alive() >= kBytes && account.alive() < kBytes * 3 / 2; }

struct Stored {
  std::shared_ptr<MemoryAccount> account = std::make_shared<MemoryAccount>(3 * kBytes);
  std::shared_ptr<Sevens> bytes = std::make_shared<Sevens>();
  Tensor tensor = make();

  Tensor make() const {
    const MemoryAccount::Scope scope(account);
    return StoredContents::tensor(DType::kUint8, {int64_t(kBytes)}, bytes);
  }
};

int sum(const Tensor& tensor) {
  int total = 0;
  for (const uint8_t value : tensor.values<uint8_t>()) total += value;
  return total;
}

TEST(StoredTensor, IsReadOnceWhenItIsAskedForAndKept) {
  const Stored stored;
  const Tensor copy = stored.tensor, view = stored.tensor.reshaped({10, int64_t(kBytes) / 10});
  EXPECT_EQ(stored.account->alive(), 0u);
  EXPECT_EQ(copy.address(), view.address());
  EXPECT_NE(copy.address(), stored.make().address());
  EXPECT_FALSE(StoredContents::in_memory(copy));
  EXPECT_EQ(sum(view), 7 * int(kBytes));
  EXPECT_EQ(sum(copy), 7 * int(kBytes));
  EXPECT_EQ(copy.raw(), view.raw());
  EXPECT_EQ(stored.bytes->reads, 1);
  EXPECT_TRUE(holds_once(*stored.account));
  EXPECT_TRUE(StoredContents::in_memory(copy));
}

TEST(StoredTensor, BorrowedContentsAreLetGoWithTheLastCopy) {
  const Stored stored;
  for (int i = 1; i <= 2; ++i) {
    Tensor borrowed = StoredContents::borrow(stored.tensor);
    EXPECT_EQ(borrowed.address(), stored.tensor.address());
    const Tensor other = borrowed.reshaped({int64_t(kBytes), 1});
    EXPECT_EQ(sum(borrowed), 7 * int(kBytes));
    borrowed = {};
    EXPECT_TRUE(holds_once(*stored.account));
    EXPECT_EQ(sum(other), 7 * int(kBytes));
    EXPECT_EQ(stored.bytes->reads, i);
    EXPECT_FALSE(StoredContents::in_memory(StoredContents::original(other)));
  }
  EXPECT_EQ(stored.account->alive(), 0u);
}

TEST(StoredTensor, PartsAreReadWithoutKeepingTheRest) {
  const Stored stored;
  std::vector<std::byte> part(3);
  StoredContents::read(stored.tensor, part, 5);
  EXPECT_EQ(part, std::vector<std::byte>(3, std::byte{7}));
  EXPECT_EQ(stored.account->alive(), 0u);
  EXPECT_FALSE(StoredContents::in_memory(stored.tensor));
  StoredContents::read(Tensor::of({5}, std::vector<uint8_t>{0, 1, 2, 3, 4}), part, 1);
  EXPECT_EQ(part, (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}}));
}

TEST(StoredTensor, WhoAsksAtTheSameTimeSharesTheContents) {
  const Stored stored;
  const Tensor first = StoredContents::borrow(stored.tensor), second = StoredContents::borrow(stored.tensor);
  EXPECT_EQ(first.raw(), second.raw());
  EXPECT_EQ(first.raw(), stored.tensor.raw());
  EXPECT_EQ(stored.bytes->reads, 1);
}

TEST(StoredTensor, OutlivesWhatItWasBorrowedFrom) {
  Stored stored;
  const Tensor borrowed = StoredContents::borrow(stored.tensor);
  stored.tensor = {};
  EXPECT_EQ(sum(borrowed), 7 * int(kBytes));
}

TEST(StoredTensor, CanBeAskedForAgainAfterAnError) {
  const Stored stored;
  stored.bytes->fails = true;
  expect_error(ErrorKind::kIo, "gone", [&] { static_cast<void>(stored.tensor.raw()); });
  EXPECT_EQ(stored.account->alive(), 0u);
  stored.bytes->fails = false;
  EXPECT_EQ(sum(stored.tensor), 7 * int(kBytes));
}

TEST(StoredTensor, ThreadsReadItTogether) {
  const Stored stored;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 100; ++n) {
        right += sum(i % 2 ? StoredContents::borrow(stored.tensor) : stored.tensor) == 7 * int(kBytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

TEST(StoredTensor, TensorsInMemoryAreTheirOwnOriginals) {
  const Tensor tensor = Tensor::of<float>({1, 2});
  EXPECT_EQ(StoredContents::borrow(tensor).raw(), tensor.raw());
  EXPECT_EQ(StoredContents::original(tensor).raw(), tensor.raw());
  EXPECT_TRUE(StoredContents::in_memory(tensor));
}

}  // namespace
}  // namespace linnet::testing

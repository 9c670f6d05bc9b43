#include "tensor/large_block.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "linnet/tensor.h"
#include "tensor/alignment.h"

namespace linnet::testing {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

bool is_mapped(const void* page) {
  unsigned char resident = 0;
  return ::mincore(const_cast<void*>(page), 1, &resident) == 0;
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

class LargeBlock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kMapsLargeBlocks) GTEST_SKIP() << "blocks of the heap, for the sanitizer";
  }
  void TearDown() override {
    for (const auto& [data, size] : others_) free_block(data, size);
  }

  /// Takes all cached blocks until the test ends, because one of them could fit better than the test's own.
  void take_others() {
    constexpr size_t kStep = kLargeBlock / 8, kLargest = size_t{8} << 20;
    for (size_t size = kLargeBlock; kept_block_bytes() > 0; size = size < kLargest ? size + kStep : kLargeBlock) {
      others_.emplace_back(allocate_block(size), size);
    }
  }

 private:
  std::vector<std::pair<void*, size_t>> others_;
};

TEST_F(LargeBlock, IsAlignedAndWritable) {
  for (const size_t bytes :
       {size_t{1}, kLargeBlock - 1, kLargeBlock, kLargeBlock + 1, size_t{2} << 20, size_t{5'000'001}}) {
    void* const data = allocate_block(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % (bytes < size_t{2} << 20 ? kAlignment : size_t{2} << 20), 0u);
    std::memset(data, 1, bytes);
    free_block(data, bytes);
  }
}

TEST_F(LargeBlock, ThereIsNoneWhereTheSystemHasNone) {
  EXPECT_EQ(allocate_block(SIZE_MAX), nullptr);
  EXPECT_EQ(allocate_block(size_t{1} << 60), nullptr);
}

TEST_F(LargeBlock, FreedOnesAreNotMappedButForAFew) {
  void* const large = allocate_block(size_t{64} << 20);
  free_block(large, size_t{64} << 20);
  EXPECT_FALSE(is_mapped(large));
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(allocate_block(size_t{1} << 20));
  for (void* block : blocks) free_block(block, size_t{1} << 20);
  EXPECT_LE(kept_block_bytes(), size_t{8} << 20);
}

TEST_F(LargeBlock, LoadsKeepMoreAndGiveItBack) {
  constexpr size_t kSize = size_t{6} << 20;
  {
    const LoadingBlocks outer;
    void* const block = allocate_block(kSize);
    void* const other = allocate_block(kSize);
    const size_t kept = kept_block_bytes();
    {
      const LoadingBlocks inner;
      free_block(block, kSize);
    }
    EXPECT_GT(kept_block_bytes(), kept);
    EXPECT_EQ(allocate_block(kSize), block);
    free_block(block, kSize);
    free_block(other, kSize);
    EXPECT_GE(kept_block_bytes(), 2 * kSize);
  }
  EXPECT_LE(kept_block_bytes(), size_t{8} << 20);
}

TEST_F(LargeBlock, OnesOfHugePagesTakeNoRestThatBeginsBetweenThem) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  take_others();
  const LoadingBlocks more_kept;
  auto* const block = static_cast<std::byte*>(allocate_block(8 * kMebibyte));
  free_block(block, 8 * kMebibyte);
  void* const first = allocate_block(5 * kMebibyte);
  ASSERT_EQ(first, block);
  void* const second = allocate_block(3 * kMebibyte);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % (2 * kMebibyte), 0u);
  free_block(first, 5 * kMebibyte);
  free_block(second, 3 * kMebibyte);
}

TEST_F(LargeBlock, TheNextOfItsSizeTakesAFreedOne) {
  void* const block = allocate_block(300'000);
  free_block(block, 300'000);
  const size_t kept = kept_block_bytes();
  void* const next = allocate_block(299'999);
  EXPECT_EQ(next, block);
  EXPECT_LT(kept_block_bytes(), kept);
  free_block(next, 299'999);
}

TEST_F(LargeBlock, SmallerOnesTakeTheBeginningAndTheRestOfAFreedOne) {
  constexpr size_t kSize = size_t{1} << 20, kFirst = kSize / 2, kSecond = kSize * 3 / 8;
  take_others();
  auto* const block = static_cast<std::byte*>(allocate_block(kSize));
  free_block(block, kSize);
  void* const first = allocate_block(kFirst);
  EXPECT_EQ(first, block);
  EXPECT_EQ(kept_block_bytes(), kSize - kFirst);
  void* const second = allocate_block(kSecond);
  ASSERT_EQ(second, block + kFirst);
  EXPECT_EQ(kept_block_bytes(), 0u);
  EXPECT_FALSE(is_mapped(block + kFirst + kSecond));  // too small for a block
  std::memset(block, 1, kFirst + kSecond);
  free_block(first, kFirst);
  free_block(second, kSecond);
}

// Otherwise, freed memory of the heap stays resident below later allocations.
TEST_F(LargeBlock, TensorsGiveTheirMemoryBackWhateverIsAllocatedBehindThem) {
  std::vector<Tensor> tensors;
  std::vector<std::string> between;
  for (int i = 0; i < 40; ++i) {
    tensors.emplace_back(DType::kUint8, Shape{3 * kMegabyte + i});
    std::memset(tensors.back().raw(), 1, tensors.back().bytes());
    tensors.erase(tensors.begin(), tensors.begin() + (i % 2));
    between.emplace_back(1000, 'x');
  }
  const int64_t before = resident_bytes();
  const auto held = int64_t(tensors.size()) * 3 * kMegabyte;
  tensors.clear();
  EXPECT_LE(resident_bytes(), before - held + 12 * kMegabyte);
}

}  // namespace
}  // namespace linnet::testing

#include "tensor/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "linnet/error.h"
#include "tensor/memory_account.h"

namespace linnet::testing {
namespace {

constexpr int kCount = 4096;

/// Returns how many of 2^20 slots, determined by the upper bits, the numbers i * factor occupy.
template <class Key>
size_t slots(Key key) {
  std::set<uint64_t> found;
  for (int i = 0; i < kCount; ++i) found.insert(uint64_t(SeededHash()(key(i))) >> 44);
  return found.size();
}

TEST(SeededHash, IsTheSameForEqualKeys) {
  const std::string text = "a text that is longer than what a string holds in place";
  EXPECT_EQ(SeededHash()(text), SeededHash()(std::string_view(text)));
  EXPECT_EQ(SeededHash()(uint64_t{7}), SeededHash()(uint64_t{7}));
  EXPECT_NE(SeededHash()(text), SeededHash()(text + " "));
  EXPECT_NE(SeededHash()(uint64_t{7}), SeededHash()(uint64_t{8}));
}

TEST(SeededHash, SpreadsNumbersThatAFixedFactorPutsIntoOneSlot) {
  const uint64_t inverse = 0xf1de83e19937733du;  // of 2^64 divided by the golden ratio
  ASSERT_EQ(inverse * 0x9e3779b97f4a7c15u, 1u);
  EXPECT_GT(slots([&](int i) { return uint64_t(i) * inverse; }), size_t{kCount / 2});
}

TEST(SeededHash, SpreadsNumbersThatDifferInAnyBits) {
  for (int shift = 0; shift <= 52; ++shift) {
    EXPECT_GT(slots([&](int i) { return uint64_t(i) << shift; }), size_t{kCount / 2}) << shift;
  }
}

TEST(SeededHash, SpreadsTextsOfAnyLength) {
  for (const int length : {4, 8, 16, 17, 100, 240, 1000}) {
    const auto text = [&](int i) { return std::to_string(i + 1000).append(size_t(length), 'x'); };
    EXPECT_GT(slots(text), size_t{kCount / 2}) << length;
  }
}

TEST(SeededMap, FindsTextsByViewsOfThem) {
  SeededMap<std::string, int> map;
  map["key"] = 3;
  EXPECT_EQ(map.find(std::string_view("key"))->second, 3);
  EXPECT_EQ(map.find(std::string_view("ke")), map.end());
}

TEST(SeededMap, CountsWhatItHolds) {
  const auto account = MemoryAccount::of(10'000);
  const MemoryAccount::Scope scope(account);
  SeededMap<std::string_view, int> map;
  map["key"] = 3;
  EXPECT_GT(account->alive(), sizeof(std::pair<std::string_view, int>));
  SeededSet<uint64_t> set;
  EXPECT_THROW(
      {
        for (uint64_t i = 0; i < 1000; ++i) set.insert(i);
      },
      Error);
}

}  // namespace
}  // namespace linnet::testing

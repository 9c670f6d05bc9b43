#include "plan/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace linnet::testing {
namespace {

bool overlap(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

void expect_disjoint(const std::vector<Lifetime>& blocks, const MemoryPlan& plan) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0u);
    EXPECT_LE(plan.offsets[i] + blocks[i].bytes, plan.total);
    for (size_t j = 0; j < i; ++j) {
      if (!overlap(blocks[i], blocks[j])) continue;
      const bool apart =
          plan.offsets[i] + blocks[i].bytes <= plan.offsets[j] || plan.offsets[j] + blocks[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

TEST(MemoryPlan, BlocksThatLiveTogetherDoNotOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> blocks;
    for (int i = 0; i < 30; ++i) {
      const int first = int(random() % 20);
      blocks.push_back({random() % 1000, first, first + int(random() % 5)});
    }
    expect_disjoint(blocks, plan_memory(blocks));
  }
}

TEST(MemoryPlan, VeryManyBlocksDoNotOverlapAndReuseMemory) {
  std::mt19937 random(2);
  std::vector<Lifetime> blocks;
  size_t sum = 0;
  for (int i = 0; i < 9500; ++i) {
    const int first = int(random() % 9000);
    blocks.push_back({random() % 1000, first, first + int(random() % 100)});
    sum += blocks.back().bytes;
  }
  const MemoryPlan plan = plan_memory(blocks);
  expect_disjoint(blocks, plan);
  EXPECT_LT(plan.total, sum / 20);
}

TEST(MemoryPlan, AChainNeedsTwoBlocks) {
  std::vector<Lifetime> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back({640, i, i + 1});
  EXPECT_EQ(plan_memory(blocks).total, 1280u);
}

TEST(MemoryPlan, FillsGapsBetweenLargerBlocks) {
  const std::vector<Lifetime> blocks{{640, 0, 1}, {1280, 0, 9}, {320, 2, 9}, {320, 2, 9}};
  EXPECT_EQ(plan_memory(blocks).total, 1920u);
}

}  // namespace
}  // namespace linnet::testing

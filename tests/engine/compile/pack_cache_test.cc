#include "compile/pack_cache.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace linnet {
namespace {

const PackedForm kPanels{"panels", {16, 2}};

// Counts how often something is packed.
struct Packer {
  PackCache cache;
  int made = 0;

  Tensor get(const Tensor& source, const PackedForm& form) {
    return cache.get(source, form, [&] {
      ++made;
      return source.clone();
    });
  }
};

Tensor weights(int64_t floats = 10) { return Tensor(DType::kFloat32, {floats}); }

TEST(PackCache, MakesEachFormOfASourceOnce) {
  Packer packer;
  const Tensor source = weights(), other = weights();
  const Tensor first = packer.get(source, kPanels), second = packer.get(source, kPanels);
  EXPECT_EQ(packer.made, 1);
  EXPECT_EQ(first.raw(), second.raw());
  std::vector<Tensor> held;
  for (const PackedForm& form :
       {PackedForm{"panels", {16, 3}}, PackedForm{"panels", {16}}, PackedForm{"lines", {16, 2}}}) {
    held.push_back(packer.get(source, form));
  }
  held.push_back(packer.get(other, kPanels));
  EXPECT_EQ(packer.made, 5);
}

TEST(PackCache, WhoMakesOneWaitsForNobodyWhoMakesAnother) {
  PackCache cache;
  const Tensor first = weights(), second = weights();
  std::promise<void> made;
  auto done = made.get_future();
  const auto both = std::async(std::launch::async, [&] {
    cache.get(first, kPanels, [&] {
      EXPECT_EQ(done.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      return first.clone();
    });
  });
  cache.get(second, kPanels, [&] { return second.clone(); });
  made.set_value();
}

TEST(PackCache, PacksViewsOfOtherShapesAndTypesAnew) {
  Packer packer;
  Tensor source = weights(6);
  const Tensor first = packer.get(source, kPanels), wide = packer.get(source.reshaped({2, 3}), kPanels);
  const Tensor ints = packer.get(Tensor::share(DType::kInt32, {6}, source.raw(), nullptr), kPanels);
  EXPECT_EQ(packer.made, 3);
  packer.cache.forget(source);  // whatever its shape
  const Tensor again = packer.get(source.reshaped({2, 3}), kPanels);
  EXPECT_EQ(packer.made, 4);
}

TEST(PackCache, KeepsWhatIsHeldAndNothingElse) {
  Packer packer;
  const Tensor source = weights(10);
  Tensor first = packer.get(source, kPanels);
  {
    const Tensor second = packer.get(source, {"lines"});
    EXPECT_EQ(packer.cache.bytes(), 80);
  }
  EXPECT_EQ(packer.cache.bytes(), 40);
  first = {};
  EXPECT_EQ(packer.cache.bytes(), 0);
  first = packer.get(source, kPanels);
  EXPECT_EQ(packer.made, 3);
}

// Else another constant at the same address would be taken for it.
TEST(PackCache, KeepsSourcesUntilTheyAreForgotten) {
  Packer packer;
  Tensor source = weights();
  const Tensor packed = packer.get(source, kPanels);
  EXPECT_FALSE(source.exclusive());
  packer.cache.forget(source);
  EXPECT_TRUE(source.exclusive());
}

TEST(PackCache, WhatIsMadeOfAForgottenSourceLivesOn) {
  Packer packer;
  const Tensor source = weights(), other = weights();
  const Tensor packed = packer.get(source, kPanels), lines = packer.get(source, {"lines"});
  const Tensor of_other = packer.get(other, kPanels);
  packer.cache.forget(source);
  EXPECT_EQ(packer.cache.bytes(), 120);
  const Tensor again = packer.get(source, kPanels), other_again = packer.get(other, kPanels);
  EXPECT_EQ(packer.made, 4);
  EXPECT_NE(again.raw(), packed.raw());
  EXPECT_EQ(other_again.raw(), of_other.raw());
}

TEST(PackCache, GivesAllThreadsTheSame) {
  Packer packer;
  const Tensor source = weights(1000);
  std::vector<Tensor> got(8);
  std::vector<std::thread> threads;
  for (Tensor& tensor : got) threads.emplace_back([&] { tensor = packer.get(source, kPanels); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(packer.made, 1);
  for (const Tensor& tensor : got) EXPECT_EQ(tensor.raw(), got[0].raw());
}

}  // namespace
}  // namespace linnet

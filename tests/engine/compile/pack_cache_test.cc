#include "compile/pack_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "support/run_op.h"
#include "support/temporary_folder.h"
#include "tensor/memory_account.h"

namespace linnet::testing {
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
  packer.cache.free(source);  // for all its shapes
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

// Otherwise, another constant at the same address would be mistaken for it.
TEST(PackCache, KeepsSourcesUntilTheyAreFreed) {
  Packer packer;
  Tensor source = weights();
  const Tensor packed = packer.get(source, kPanels);
  EXPECT_FALSE(source.exclusive());
  packer.cache.free(source);
  EXPECT_TRUE(source.exclusive());
}

TEST(PackCache, WhatIsMadeOfAFreedSourceStays) {
  Packer packer;
  const Tensor source = weights(), other = weights();
  const Tensor packed = packer.get(source, kPanels), lines = packer.get(source, {"lines"});
  const Tensor of_other = packer.get(other, kPanels);
  packer.cache.free(source);
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

constexpr int64_t kFloats = 100'000;

Tensor filled(PackCache& cache, int64_t floats, float value) {
  Tensor tensor = cache.memory(DType::kFloat32, {floats});
  std::fill_n(tensor.data<float>(), floats, value);
  return tensor;
}

bool all_are(const Tensor& tensor, float value) {
  const auto values = tensor.values<float>();
  return std::all_of(values.begin(), values.end(), [&](float v) { return v == value; });
}

TEST(PackCache, PartsOfFreedMemoryDoNotOverlapAndOutliveIt) {
  std::vector<Tensor> tensors;
  const void* first = nullptr;
  {
    PackCache cache;
    Tensor old = weights(kFloats);
    first = old.raw();
    cache.free(std::move(old));
    for (const int64_t floats : {kFloats / 2, kFloats / 4, kFloats / 8, kFloats}) {
      tensors.push_back(filled(cache, floats, float(floats)));
    }
    cache.finish();
  }
  EXPECT_EQ(tensors[0].raw(), first);
  EXPECT_EQ(tensors[1].raw(), tensors[0].data<float>() + kFloats / 2);
  for (const Tensor& tensor : tensors) EXPECT_TRUE(all_are(tensor, float(tensor.size())));
}

TEST(PackCache, UsesNoMemoryThatSomebodyElseMayRead) {
  PackCache cache;
  const Tensor kept = weights(kFloats);
  cache.free(kept);
  std::vector<float> callers(kFloats);
  cache.free(Tensor::wrap(DType::kFloat32, {kFloats}, callers.data()));
  cache.free(Tensor::share(DType::kFloat32, {kFloats}, callers.data(), std::make_shared<int>(0)));
  cache.free(Tensor(DType::kString, {kFloats}));
  const Tensor got = cache.memory(DType::kFloat32, {kFloats});
  EXPECT_NE(got.raw(), kept.raw());
  EXPECT_NE(got.raw(), callers.data());
  EXPECT_TRUE(got.exclusive());
}

TEST(PackCache, ReleasesFreedMemoryWhereItsFilesCannotBeWritten) {
  const Tensor source = weights();
  const std::span bytes(static_cast<const std::byte*>(source.raw()), source.bytes());
  PackCache cache;
  {
    const TemporaryFolder folder;
    cache.use(std::make_shared<PackFiles>(folder.path(""), "key", SealedFile{"", bytes, nullptr}));
  }
  const Tensor packed = cache.get(source, kPanels, [&] { return source.clone(); });
  const auto account = std::make_shared<MemoryAccount>(size_t{1} << 30);
  const MemoryAccount::Scope scope(account);
  cache.free(weights(kFloats));
  EXPECT_GT(account->alive(), 0u);
  expect_error(ErrorKind::kIo, "", [&] { cache.finish(); });
  EXPECT_EQ(account->alive(), 0u);
}

}  // namespace
}  // namespace linnet::testing

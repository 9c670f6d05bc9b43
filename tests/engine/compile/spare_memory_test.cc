#include "compile/spare_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace linnet {
namespace {

constexpr int64_t kFloats = 100'000;

Tensor filled(SpareMemory& spare, int64_t floats, float value) {
  Tensor tensor = spare.tensor(DType::kFloat32, {floats});
  std::fill_n(tensor.data<float>(), floats, value);
  return tensor;
}

bool all_are(const Tensor& tensor, float value) {
  const auto values = tensor.values<float>();
  return std::all_of(values.begin(), values.end(), [&](float v) { return v == value; });
}

TEST(SpareMemory, GivesPartsThatDoNotOverlapAndOutliveIt) {
  std::vector<Tensor> tensors;
  const void* first = nullptr;
  {
    SpareMemory spare;
    Tensor old(DType::kFloat32, {kFloats});
    first = old.raw();
    spare.add(std::move(old));
    for (const int64_t floats : {kFloats / 2, kFloats / 4, kFloats / 8, kFloats}) {
      tensors.push_back(filled(spare, floats, float(floats)));
    }
    spare.release();
  }
  EXPECT_EQ(tensors[0].raw(), first);
  EXPECT_EQ(tensors[1].raw(), tensors[0].data<float>() + kFloats / 2);
  for (const Tensor& tensor : tensors) EXPECT_TRUE(all_are(tensor, float(tensor.size())));
}

TEST(SpareMemory, TakesNothingThatSomebodyElseMayRead) {
  SpareMemory spare;
  const Tensor kept(DType::kFloat32, {kFloats});
  spare.add(kept);
  std::vector<float> callers(kFloats);
  spare.add(Tensor::wrap(DType::kFloat32, {kFloats}, callers.data()));
  spare.add(Tensor::share(DType::kFloat32, {kFloats}, callers.data(), std::make_shared<int>(0)));
  spare.add(Tensor(DType::kString, {kFloats}));
  const Tensor got = spare.tensor(DType::kFloat32, {kFloats});
  EXPECT_NE(got.raw(), kept.raw());
  EXPECT_NE(got.raw(), callers.data());
  EXPECT_TRUE(got.exclusive());
}

}  // namespace
}  // namespace linnet

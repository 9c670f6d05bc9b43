#include "tensor/tensor_arena.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace linnet::testing {
namespace {

TEST(TensorArena, KeepsTheOthersWhereOneTensorGoes) {
  constexpr int64_t kSizes[] = {1, 1000, 5000, 300'001, 7, 2'000'000, 4096};
  size_t bytes = 0;
  for (const int64_t size : kSizes) bytes += aligned(size_t(size) * sizeof(float));
  std::vector<Tensor> tensors;
  {
    TensorArena arena(bytes);
    for (const int64_t size : kSizes) {
      tensors.push_back(arena.tensor(DType::kFloat32, {size}));
      std::fill_n(tensors.back().data<float>(), size, float(size));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensors.back().raw()) % 64, 0u);
    }
  }
  for (const size_t gone : {5, 1, 3, 6, 0, 2}) {
    tensors[gone] = {};
    for (const Tensor& tensor : tensors) {
      if (!tensor) continue;
      const auto values = tensor.values<float>();
      EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](float v) { return v == float(tensor.size()); }));
    }
  }
}

TEST(TensorArena, GivesMoreThanItWasMadeFor) {
  TensorArena arena(100);
  const Tensor first = arena.tensor(DType::kUint8, {90}), second = arena.tensor(DType::kUint8, {90});
  EXPECT_EQ(first.bytes(), 90u);
  EXPECT_EQ(second.bytes(), 90u);
  EXPECT_NE(first.raw(), second.raw());
}

}  // namespace
}  // namespace linnet::testing

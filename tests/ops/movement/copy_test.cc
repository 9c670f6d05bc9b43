#include "movement/copy.h"

#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

// Tests copies in one part and in several, on one thread and on two.
TEST(CopyTensor, CopiesEveryByte) {
  for (const int threads : {1, 2}) {
    const auto executor = make_openmp_executor(threads);
    for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{100000}, (int64_t{1} << 24) + 5}) {
      Tensor x(DType::kUint8, {n}), y(DType::kUint8, {n});
      for (int64_t i = 0; i < n; ++i) {
        x.data<uint8_t>()[i] = uint8_t(i * 40503 >> 8);
        y.data<uint8_t>()[i] = uint8_t(~x.data<uint8_t>()[i]);
      }
      copy_tensor(x, y, *executor);
      EXPECT_TRUE(identical(x, y)) << n << " bytes on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace linnet::testing

#include "linnet/executor.h"

#include <gtest/gtest.h>

#include <atomic>

#include "linnet/error.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::expect_error;

TEST(Executor, WhatAChunkThrowsReachesTheCaller) {
  for (const auto& executor : {make_openmp_executor(4), make_openmp_executor(1), make_serial_executor()}) {
    const auto run = [&] {
      executor->parallel_for(1000, [](int64_t chunk, int) {
        if (chunk % 7 == 3) throw Error(ErrorKind::kLimit, "chunk failed");
      });
    };
    expect_error(ErrorKind::kLimit, "chunk failed", run);
    std::atomic<int> calls = 0;
    executor->parallel_for(1000, [&](int64_t, int) { ++calls; });
    EXPECT_EQ(calls, 1000);
  }
}

}  // namespace
}  // namespace linnet

#include "linnet/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

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

void count_all_chunks(Executor& executor, int64_t chunks) {
  std::vector<std::atomic<int>> calls(static_cast<size_t>(chunks));
  std::vector<std::atomic<bool>> at_work(static_cast<size_t>(executor.workers()));
  executor.parallel_for(chunks, [&](int64_t chunk, int worker) {
    EXPECT_FALSE(at_work[size_t(worker)].exchange(true)) << worker;
    ++calls[size_t(chunk)];
    at_work[size_t(worker)] = false;
  });
  for (const auto& count : calls) ASSERT_EQ(count, 1);
}

TEST(Executor, HeldThreadsRunEveryChunkOnce) {
  for (const auto& executor : {make_openmp_executor(4), make_openmp_executor(1), make_serial_executor()}) {
    for (int run = 0; run < 3; ++run) {
      executor->hold([&](int64_t, int) {
        for (int64_t chunks = 0; chunks < 300; ++chunks) count_all_chunks(*executor, chunks % 37);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // The others fall asleep.
        count_all_chunks(*executor, 100);
      });
    }
  }
}

TEST(Executor, HeldThreadsEndALoopWhenAllChunksAreDone) {
  const auto executor = make_openmp_executor(2);
  executor->hold([&](int64_t, int) {
    for (int loop = 0; loop < 20; ++loop) {
      std::atomic<int> calls = 0;
      executor->parallel_for(64, [&](int64_t, int worker) {
        std::this_thread::sleep_for(std::chrono::microseconds(worker == 0 ? 10 : 500));
        ++calls;
      });
      ASSERT_EQ(calls, 64);
    }
  });
}

TEST(Executor, LoopsWithinLoopsAndHoldsWithinHoldsRun) {
  const auto executor = make_openmp_executor(3);
  std::atomic<int> calls = 0;
  executor->hold([&](int64_t, int) {
    executor->hold([&](int64_t, int) {
      executor->parallel_for(8, [&](int64_t, int) { executor->parallel_for(5, [&](int64_t, int) { ++calls; }); });
    });
  });
  EXPECT_EQ(calls, 40);
}

TEST(Executor, SeveralThreadsHoldOneExecutor) {
  const auto executor = make_openmp_executor(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      executor->hold([&](int64_t, int) {
        for (int j = 0; j < 100; ++j) count_all_chunks(*executor, 10);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Executor, WhatIsThrownWhileThreadsAreHeldReachesTheCaller) {
  const auto executor = make_openmp_executor(4);
  const auto fail = [&](int64_t, int) {
    executor->parallel_for(100, [](int64_t chunk, int) {
      if (chunk == 70) throw Error(ErrorKind::kLimit, "chunk failed");
    });
  };
  expect_error(ErrorKind::kLimit, "chunk failed", [&] { executor->hold(fail); });
  executor->hold([&](int64_t, int) { count_all_chunks(*executor, 50); });
}

}  // namespace
}  // namespace linnet

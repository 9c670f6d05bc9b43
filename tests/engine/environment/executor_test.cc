#include "linnet/executor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "linnet/error.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// The kinds of executors that have threads.
class Executors : public ::testing::TestWithParam<std::shared_ptr<Executor> (*)(int)> {
 protected:
  static std::shared_ptr<Executor> make(int threads) { return GetParam()(threads); }
};

INSTANTIATE_TEST_SUITE_P(OpenMp, Executors, ::testing::Values(&make_openmp_executor));
INSTANTIATE_TEST_SUITE_P(Threads, Executors, ::testing::Values(&make_thread_executor));

TEST_P(Executors, WhatAChunkThrowsReachesTheCaller) {
  for (const auto& executor : {make(4), make(1), make_serial_executor()}) {
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

TEST_P(Executors, HeldThreadsRunEveryChunkOnce) {
  for (const auto& executor : {make(4), make(1), make_serial_executor()}) {
    for (int run = 0; run < 3; ++run) {
      executor->hold([&](int64_t, int) {
        for (int64_t chunks = 0; chunks < 300; ++chunks) count_all_chunks(*executor, chunks % 37);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // The other threads fall asleep.
        count_all_chunks(*executor, 100);
      });
    }
  }
}

TEST_P(Executors, HeldThreadsBeginWithPartsOfTheirOwn) {
  const auto executor = make(2);
  executor->hold([&](int64_t, int) {
    std::array<std::atomic<int64_t>, 2> first{-1, -1};
    executor->parallel_for(10, [&](int64_t chunk, int worker) {
      int64_t none = -1;
      first[size_t(worker)].compare_exchange_strong(none, chunk);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
      while (first[size_t(1 - worker)] < 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    EXPECT_EQ(first[0], 0);
    EXPECT_EQ(first[1], 5);
  });
}

TEST_P(Executors, HeldThreadsEndALoopWhenAllChunksAreDone) {
  const auto executor = make(2);
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

TEST_P(Executors, LoopsWithinLoopsAndHoldsWithinHoldsRun) {
  const auto executor = make(3);
  std::atomic<int> calls = 0;
  executor->hold([&](int64_t, int) {
    executor->hold([&](int64_t, int) {
      executor->parallel_for(8, [&](int64_t, int) { executor->parallel_for(5, [&](int64_t, int) { ++calls; }); });
    });
  });
  EXPECT_EQ(calls, 40);
}

TEST_P(Executors, SeveralThreadsHoldOneExecutor) {
  const auto executor = make(2);
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

TEST_P(Executors, WhatIsThrownWhileThreadsAreHeldReachesTheCaller) {
  const auto executor = make(4);
  const auto fail = [&](int64_t, int) {
    executor->parallel_for(100, [](int64_t chunk, int) {
      if (chunk == 70) throw Error(ErrorKind::kLimit, "chunk failed");
    });
  };
  expect_error(ErrorKind::kLimit, "chunk failed", [&] { executor->hold(fail); });
  executor->hold([&](int64_t, int) { count_all_chunks(*executor, 50); });
}

TEST_P(Executors, CallersAtTheSameTimeDivideItsThreads) {
  const auto executor = make(4);
  std::atomic<int> at_work = 0, most = 0, missing = 4;
  const auto work = [&](int64_t, int) {
    const int now = ++at_work;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --at_work;
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      executor->hold([&](int64_t, int) {
        for (--missing; missing > 0;) std::this_thread::yield();
        for (int loop = 0; loop < 3; ++loop) executor->parallel_for(8, work);
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, 4 + 3);  // The first caller found all threads idle.
}

/// Forks. The child must end with f() returning true.
template <class F>
void expect_in_child(F&& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(f() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

bool all_chunks_run(Executor& executor) {
  std::atomic<int> calls = 0;
  executor.parallel_for(100, [&](int64_t, int) { ++calls; });
  executor.hold([&](int64_t, int) { executor.parallel_for(100, [&](int64_t, int) { ++calls; }); });
  return calls == 200;
}

// QEMU's user mode cannot start threads in the child of a multi-threaded process.
#ifdef LINNET_TESTS_EMULATED
#define LINNET_FORKED_CHILD(name) DISABLED_##name
#else
#define LINNET_FORKED_CHILD(name) name
#endif

TEST_P(Executors, LINNET_FORKED_CHILD(WorksInAForkedChild)) {
  const auto executor = make(2);
  ASSERT_TRUE(all_chunks_run(*executor));
  expect_in_child([&] { return all_chunks_run(*executor) && all_chunks_run(*make(3)); });
  std::atomic<bool> held = false, done = false;
  std::thread other([&] {
    executor->hold([&](int64_t, int) {
      for (held = true; !done;) std::this_thread::yield();
    });
  });
  while (!held) std::this_thread::yield();
  expect_in_child([&] { return all_chunks_run(*executor); });
  done = true;
  other.join();
}

TEST_P(Executors, LINNET_FORKED_CHILD(HasAllItsWorkersInAForkedChild)) {
  const auto executor = make(3);
  executor->parallel_for(10, [](int64_t, int) {});
  expect_in_child([&] {
    std::array<std::atomic<bool>, 3> seen{};
    executor->hold([&](int64_t, int) {
      executor->parallel_for(3, [&](int64_t, int worker) {
        // If a worker is missing, this waits until alarm() ends the child.
        for (seen[size_t(worker)] = true; !seen[0] || !seen[1] || !seen[2];) std::this_thread::yield();
      });
    });
    return true;
  });
}

}  // namespace
}  // namespace linnet::testing

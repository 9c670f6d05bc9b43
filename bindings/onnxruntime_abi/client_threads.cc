#include "client_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "status.h"

namespace linnet::ort {
namespace {

class ClientExecutor final : public Executor {
 public:
  explicit ClientExecutor(const ThreadSettings& settings) : join_(settings.join) {
    const int count = settings.count > 0 ? settings.count : int(std::max(1u, std::thread::hardware_concurrency()));
    workers_.reserve(size_t(count - 1));
    for (int i = 1; i < count; ++i) workers_.push_back({this, i});
    try {
      for (Worker& worker : workers_) start(settings, worker);
    } catch (...) {
      end();
      throw;
    }
  }
  ~ClientExecutor() override { end(); }
  ClientExecutor(const ClientExecutor&) = delete;

  int workers() const override { return int(threads_.size()) + 1; }

  void parallel_for(int64_t chunks, ChunkFunction function) override {
    const std::unique_lock caller(callers_, std::try_to_lock);
    if (!caller || chunks <= 1 || threads_.empty()) {
      for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
      return;
    }
    Loop loop{function, chunks};
    begin(loop);
    work(loop, 0);
    finish(loop);
  }

 private:
  struct Worker {
    ClientExecutor* executor;
    int index;
  };
  struct Loop {
    ChunkFunction function;
    int64_t chunks;
    std::atomic<int64_t> next{0};
    std::exception_ptr error{};  // guarded by mutex_
  };

  void start(const ThreadSettings& settings, Worker& worker) {
    const ThreadHandle thread = settings.create(settings.options, serve, &worker);
    if (!thread) throw Failure(kFail, "the client's function made no thread");
    threads_.push_back(thread);
  }

  static void serve(void* worker) {
    const Worker& self = *static_cast<Worker*>(worker);
    self.executor->serve_loops(self.index);
  }

  void serve_loops(int index) {
    std::unique_lock lock(mutex_);
    for (int64_t seen = 0;;) {
      changed_.wait(lock, [&] { return ended_ || (loop_ && generation_ != seen); });
      if (ended_) return;
      seen = generation_;
      Loop& loop = *loop_;
      ++busy_;
      lock.unlock();
      work(loop, index);
      lock.lock();
      if (--busy_ == 0) changed_.notify_all();
    }
  }

  void work(Loop& loop, int worker) {
    try {
      for (int64_t chunk; (chunk = loop.next.fetch_add(1)) < loop.chunks;) loop.function(chunk, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!loop.error) loop.error = std::current_exception();
      loop.next = loop.chunks;
    }
  }

  void begin(Loop& loop) {
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    ++generation_;
    changed_.notify_all();
  }

  void finish(Loop& loop) {
    std::unique_lock lock(mutex_);
    loop_ = nullptr;
    changed_.wait(lock, [&] { return busy_ == 0; });
    if (loop.error) std::rethrow_exception(loop.error);
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    for (const ThreadHandle thread : threads_) join_(thread);
  }

  JoinThread join_;
  std::vector<Worker> workers_;
  std::vector<ThreadHandle> threads_;
  std::mutex callers_;  // held by the caller whose loop runs
  std::mutex mutex_;
  std::condition_variable changed_;
  Loop* loop_ = nullptr;
  int64_t generation_ = 0;
  int busy_ = 0;
  bool ended_ = false;
};

}  // namespace

std::shared_ptr<Executor> make_client_executor(const ThreadSettings& settings) {
  return std::make_shared<ClientExecutor>(settings);
}

}  // namespace linnet::ort

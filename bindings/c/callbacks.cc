#include "callbacks.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "linnet/op.h"
#include "options.h"

namespace linnet::c_api {
namespace {

/// One loop on the program's threads. No exception passes through them: the first one is stored for the caller.
class Loop {
 public:
  explicit Loop(ChunkFunction function) : function_(function) {}

  void run(int64_t chunk, int worker) noexcept {
    ++ran_;
    try {
      function_(chunk, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void finish(int64_t chunks) {
    if (error_) std::rethrow_exception(error_);
    if (ran_ != chunks)
      throw Error(ErrorKind::kInternal, str("the executor called ", ran_.load(), " of ", chunks, " chunks"));
  }

 private:
  ChunkFunction function_;
  std::atomic<int64_t> ran_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

class CallbackExecutor final : public Executor {
 public:
  explicit CallbackExecutor(const linnet_executor& given) : given_(given) {}

  int workers() const override { return given_.workers; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    Loop loop(function);
    const auto call = [](void* data, int64_t chunk, int32_t worker) { static_cast<Loop*>(data)->run(chunk, worker); };
    if (chunks > 0) given_.parallel_for(given_.user_data, chunks, call, &loop);
    loop.finish(chunks);
  }

 private:
  linnet_executor given_;
};

class CallbackMemory final : public std::pmr::memory_resource {
 public:
  explicit CallbackMemory(const linnet_allocator& given) : given_(given) {}

 private:
  void* do_allocate(size_t bytes, size_t alignment) override {
    void* memory = given_.allocate(given_.user_data, bytes, alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, size_t bytes, size_t alignment) override {
    given_.deallocate(given_.user_data, memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  linnet_allocator given_;
};

class CallbackFiles final : public ModelFiles {
 public:
  explicit CallbackFiles(const linnet_files& given) : given_(given) {}

  int64_t size(const std::string& name) override {
    int64_t bytes = 0;
    call_back([&] { return given_.file_size(given_.user_data, name.c_str(), &bytes); });
    return bytes;
  }
  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override {
    size_t done = 0;
    call_back([&] { return given_.read(given_.user_data, name.c_str(), offset, to.data(), to.size(), &done); });
    return done;
  }

 private:
  linnet_files given_;
};

class CallbackObserver final : public Observer {
 public:
  CallbackObserver(void (*call)(void*, const linnet_node_event*), void* user_data)
      : call_(call), user_data_(user_data) {}

  void on_node(const NodeEvent& event) override {
    const linnet_node_event shown{event.node.name.c_str(), event.node.op_type.c_str(), event.node.domain.c_str(),
                                  nanoseconds(event.begin), nanoseconds(event.end)};
    call_(user_data_, &shown);
  }

 private:
  static int64_t nanoseconds(Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  }

  void (*call_)(void*, const linnet_node_event*);
  void* user_data_;
};

}  // namespace

std::shared_ptr<Executor> executor_of(const linnet_executor& given) {
  const linnet_executor executor = read_sized(&given, sizeof given, "options->executor");
  require(executor.parallel_for, "options->executor->parallel_for is NULL");
  require(executor.workers >= 1, "options->executor->workers is below 1");
  return std::make_shared<CallbackExecutor>(executor);
}

std::unique_ptr<std::pmr::memory_resource> memory_of(const linnet_allocator& given) {
  const linnet_allocator allocator = read_sized(&given, sizeof given, "options->allocator");
  require(allocator.allocate && allocator.deallocate, "a function of options->allocator is NULL");
  return std::make_unique<CallbackMemory>(allocator);
}

std::shared_ptr<ModelFiles> files_of(const linnet_files& given) {
  const linnet_files files = read_sized(&given, sizeof given, "options->files");
  require(files.file_size && files.read, "a function of options->files is NULL");
  return std::make_shared<CallbackFiles>(files);
}

std::shared_ptr<Observer> observer_of(const linnet_run_options& options) {
  if (!options.on_node) return nullptr;
  return std::make_shared<CallbackObserver>(options.on_node, options.user_data);
}

}  // namespace linnet::c_api

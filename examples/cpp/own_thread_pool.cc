// own_thread_pool MODEL: kernels run on the application's own pool. Linnet needs two functions of it.

#include <linnet/onnx.h>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "constant_inputs.h"

namespace {

/// Represents the application's pool: runs a job on each of its threads.
class Pool {
 public:
  explicit Pool(int threads) : threads_(threads) {}
  int size() const { return threads_; }

  template <class Job>
  void run_on_all(const Job& job) {
    std::vector<std::jthread> threads;
    for (int i = 1; i < threads_; ++i) threads.emplace_back([&job, i] { job(i); });
    job(0);
  }

 private:
  int threads_;
};

class PoolExecutor final : public linnet::Executor {
 public:
  explicit PoolExecutor(Pool& pool) : pool_(pool) {}

  int workers() const override { return pool_.size(); }

  void parallel_for(int64_t chunks, linnet::ChunkFunction function) override {
    std::atomic<int64_t> next = 0;
    std::exception_ptr error;
    std::once_flag failed;
    pool_.run_on_all([&](int worker) {
      try {
        for (int64_t chunk = next++; chunk < chunks; chunk = next++) function(chunk, worker);
      } catch (...) {
        std::call_once(failed, [&] { error = std::current_exception(); });
        next = chunks;
      }
    });
    if (error) std::rethrow_exception(error);
  }

 private:
  Pool& pool_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw std::invalid_argument("usage: own_thread_pool MODEL");
  Pool pool(2);
  linnet::ModelOptions options;
  options.executor = std::make_shared<PoolExecutor>(pool);
  const linnet::Model model = linnet::load_onnx(argv[1], options);
  linnet::Context context(model);
  const std::vector<linnet::Tensor> inputs = constant_inputs(model, 0);
  for (const linnet::Tensor& output : context.run(inputs)) std::cout << describe(output) << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

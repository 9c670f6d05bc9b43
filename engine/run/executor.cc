#include "linnet/executor.h"

#include <omp.h>

namespace linnet {
namespace {

class SerialExecutor final : public Executor {
 public:
  int workers() const override { return 1; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
  }
};

class OpenMpExecutor final : public Executor {
 public:
  explicit OpenMpExecutor(int threads) : threads_(threads) {}
  int workers() const override { return threads_; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    if (threads_ == 1 || chunks <= 1) {
      for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
      return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, omp_get_thread_num());
  }

 private:
  int threads_;
};

}  // namespace

std::shared_ptr<Executor> make_openmp_executor(int threads) {
  return std::make_shared<OpenMpExecutor>(threads > 0 ? threads : omp_get_num_procs());
}

std::shared_ptr<Executor> make_serial_executor() { return std::make_shared<SerialExecutor>(); }

}  // namespace linnet

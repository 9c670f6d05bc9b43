#include "environment/checked_executor.h"

#include <utility>

#include "environment/run_environment.h"

namespace linnet {
namespace {

class CheckedExecutor final : public Executor {
 public:
  explicit CheckedExecutor(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}

  int workers() const override { return executor_->workers(); }
  void hold(ChunkFunction body) override { executor_->hold(body); }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    const RunEnvironment* environment = RunEnvironment::current();
    if (!environment || !environment->may_end()) return executor_->parallel_for(chunks, function);
    executor_->parallel_for(chunks, [&](int64_t chunk, int worker) {
      environment->check_chunk();
      if (RunEnvironment::current() == environment) return function(chunk, worker);  // the calling thread
      const RunEnvironment::Scope scope(*environment);
      function(chunk, worker);
    });
  }

 private:
  std::shared_ptr<Executor> executor_;
};

}  // namespace

std::shared_ptr<Executor> make_checked_executor(std::shared_ptr<Executor> executor) {
  if (std::dynamic_pointer_cast<CheckedExecutor>(executor)) return executor;
  return std::make_shared<CheckedExecutor>(std::move(executor));
}

}  // namespace linnet

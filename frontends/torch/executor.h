#pragma once

#include <ATen/Parallel.h>

#include "linnet/executor.h"

namespace linnet::torch_ops {

/// Runs on PyTorch's own threads, as many as torch.set_num_threads() sets.
class TorchExecutor final : public Executor {
 public:
  int workers() const override { return at::get_num_threads(); }

  void parallel_for(int64_t chunks, ChunkFunction function) override {
    at::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) function(chunk, at::get_thread_num());
    });
  }
};

}  // namespace linnet::torch_ops

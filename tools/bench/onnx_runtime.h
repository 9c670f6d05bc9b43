#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linnet/model.h"

namespace linnet::tool {

/// A session of ONNX Runtime, whose shared library is loaded at run time.
class OnnxRuntime {
 public:
  /// threads: of one run, as for Linnet. Throws Failure(kUsage) if this build does not support ONNX Runtime or the
  /// library cannot be used, Failure(kLoad) if ONNX Runtime rejects the model.
  OnnxRuntime(const std::string& library, const std::string& model_path, int threads);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  const std::string& version() const;
  /// Sets the inputs, whose memory the caller must keep alive, and runs once. Returns copies of the outputs in the
  /// order of model.outputs(). Throws Failure(kRun).
  std::vector<Tensor> first_run(const Model& model, const std::vector<Tensor>& inputs);
  /// Runs again and writes the outputs to the same memory.
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet::tool

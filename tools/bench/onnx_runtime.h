#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linnet/model.h"

namespace linnet::tool {

/// A session of ONNX Runtime, whose shared library is opened at run time.
class OnnxRuntime {
 public:
  /// threads: of one run, as Linnet's. Throws Failure(kUsage) where this build knows no ONNX Runtime or the library
  /// cannot be used, Failure(kLoad) where ONNX Runtime refuses the model.
  OnnxRuntime(const std::string& library, const std::string& model_path, int threads);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  const std::string& version() const;
  /// Sets the inputs, which stay the caller's and must stay alive, and runs once. The outputs, copied, in the order of
  /// model.outputs(). Throws Failure(kRun).
  std::vector<Tensor> first_run(const Model& model, const std::vector<Tensor>& inputs);
  /// Runs again, into the same memory.
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet::tool

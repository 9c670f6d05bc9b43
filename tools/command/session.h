#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"
#include "linnet/registry.h"
#include "roofline/roofline.h"
#include "tensor/memory_account.h"

namespace linnet::tool {

/// All operators of this build and of the requested libraries. Throws Failure(kLoad).
Registry make_registry(const ModelFlags& flags);

std::shared_ptr<Executor> make_executor(const ModelFlags& flags);
/// The flags as options of the library. Throws Failure(kUsage) for an instruction set or rewrite that does not exist.
ModelOptions model_options(const ModelFlags& flags, const Registry& registry);
/// The options of a context. Its memory limit is what the flags allow, less what is already in use.
ContextOptions context_options(const ModelFlags& flags, std::shared_ptr<Observer> observer = nullptr);

/// The account that counts all tensors of a command, including models and inputs, up to the memory that the flags
/// allow.
std::shared_ptr<MemoryAccount> memory_account(const ModelFlags& flags);

/// Loads the model. Throws Failure(kLoad, kLimit) with the file's name.
Model load_model(const ModelFlags& flags);
Model load_model(const ModelFlags& flags, const ModelOptions& options, const Registry& registry);

/// Saves the optimised model if --save-optimized is given.
void save_optimized(const Model& model, const Options& options);

/// A model that is ready for the inputs that the flags specify. Unless it has states, which grow, it is specialised for
/// their shapes.
struct PreparedModel {
  Model model;
  std::vector<Tensor> inputs;
  double load_ms = 0;  ///< reading, parsing, optimising
  double plan_ms = 0;  ///< planning for the inputs' shapes, packing weights
};
PreparedModel prepare_model(const Options& options);

/// Whether a profile is requested.
bool profiles(const Options& options);
/// The roofline that profiles compare with, measured with the instruction set and threads of the model's runs. Empty if
/// no profile is requested.
Roofline profile_roofline(const Options& options);

/// The name of the instruction set that kernels run on, which LINNET_ISA may determine.
std::string chosen_isa(const Model& model);
/// The number of threads of one run.
int thread_count(const ModelFlags& flags);

/// Milliseconds since construction.
class Stopwatch {
 public:
  double ms() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace linnet::tool

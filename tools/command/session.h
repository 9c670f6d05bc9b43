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

/// All operators of this build and of the libraries asked for. Throws Failure(kLoad).
Registry make_registry(const ModelFlags& flags);

std::shared_ptr<Executor> make_executor(const ModelFlags& flags);
/// The flags as the library takes them. Throws Failure(kUsage) for an instruction set or rewrite that does not exist.
ModelOptions model_options(const ModelFlags& flags, const Registry& registry);
/// The memory that the flags allow, less what is in use already.
ContextOptions context_options(const ModelFlags& flags, std::shared_ptr<Observer> observer = nullptr);

/// What all tensors of a command, models and inputs too, count for: the memory that the flags allow.
std::shared_ptr<MemoryAccount> memory_account(const ModelFlags& flags);

/// Loads the model. Throws Failure(kLoad, kLimit) with the file's name.
Model load_model(const ModelFlags& flags);
Model load_model(const ModelFlags& flags, const ModelOptions& options, const Registry& registry);

/// Does what --save-optimized asks for.
void save_optimized(const Model& model, const Options& options);

/// A model ready for the inputs that the flags ask for, and, unless it has states, which grow, for no other shapes.
struct PreparedModel {
  Model model;
  std::vector<Tensor> inputs;
  double load_ms = 0;  ///< reading, parsing, optimising
  double plan_ms = 0;  ///< planning for the inputs' shapes, packing weights
};
PreparedModel prepare_model(const Options& options);

/// Whether a profile is asked for.
bool profiles(const Options& options);
/// What profiles compare with: measured with the instruction set and threads of the model's runs where one is asked
/// for, else nothing.
Roofline profile_roofline(const Options& options);

/// The name of the instruction set that kernels run on, LINNET_ISA considered.
std::string chosen_isa(const Model& model);
/// Threads of one run.
int thread_count(const ModelFlags& flags);

/// Milliseconds since construction.
class Stopwatch {
 public:
  double ms() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace linnet::tool

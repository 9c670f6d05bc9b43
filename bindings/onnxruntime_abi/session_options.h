#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi.h"
#include "linnet/tensor.h"
#include "logger.h"
#include "threading.h"

namespace linnet::ort {

using ConfigEntries = std::map<std::string, std::string>;

/// The operators of one domain. The client keeps them alive.
struct CustomOpDomain {
  std::string name;
  std::vector<const CustomOp*> ops;
};

struct SessionOptions {
  GraphOptimizationLevel optimization = kEnableAll;
  ExecutionMode execution_mode = kSequential;
  ThreadSettings threads;
  bool own_threads = true;  ///< false: those of the environment
  bool memory_pattern = true;
  bool batch_invariant = false;
  std::optional<std::string> profile_prefix;  ///< nullopt: no profile
  std::string optimized_path;                 ///< where the optimised model is saved; empty: nowhere
  std::string log_id;
  int log_severity = -1;  ///< below 0: the environment's
  LoggingFunction log_function = nullptr;
  void* log_param = nullptr;
  bool load_cancelled = false;
  ChooseDevices choose_devices = nullptr;
  void* choose_state = nullptr;
  ConfigEntries entries;
  std::map<std::string, int64_t> dims_by_name, dims_by_denotation;
  std::map<std::string, Tensor> initializers;
  std::set<std::string> external;  ///< the names of initializers that the model must have in other files
  std::map<std::string, std::span<const std::byte>> external_files;  ///< by the names that the model gives them
  std::vector<const CustomOpDomain*> domains;
  std::vector<std::shared_ptr<void>> libraries;  ///< of operators; they stay loaded

  /// Whether an entry has this value.
  bool has_entry(const char* key, const char* value) const;
};

/// Throws Failure(kInvalidArgument) for a key or value that no entry can have.
void add_entry(ConfigEntries& entries, const char* key, const char* value);

/// Stores `text` in the buffer. size: of the buffer; is set to that of the text with its terminating zero. Without a
/// buffer, only sets the size. Throws Failure(kInvalidArgument), whose message contains `what`, if the buffer is too
/// short.
void copy_out(const std::string& text, char* buffer, size_t* size, const char* what);

}  // namespace linnet::ort

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// What the process returns; the numbers are run_model's.
enum class ExitCode {
  kOk = 0,
  kUsage = 1,       ///< the command line makes no sense
  kLoad = 2,        ///< the model or a library does not load
  kExport = 3,      ///< the model cannot be exported
  kDifference = 4,  ///< the check found a difference
};

/// Ends the command with a message on stderr and an exit code.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct Options {
  std::string model, output;
  std::vector<std::string> inputs, dynamic;
  ExportOptions form;
  std::vector<std::string> function_calls;             ///< OPERATOR=DOMAIN::NAME
  std::vector<std::string> input_names, output_names;  ///< empty: those of the program
  std::vector<std::string> dim_names;                  ///< SYMBOL=NAME
  bool states = true;                                  ///< buffers that a program changes are inputs and outputs
  std::vector<std::string> operator_libraries, lowering_libraries;
  bool is_opset_given = false;  ///< else operators that need a newer one raise it
  bool external_data = false;
  bool list_operators = false;
  bool check = false;
  int check_inputs = 3;  ///< random ones
  double atol = 1e-4, rtol = 1e-3;
  uint64_t seed = 0;
};

/// Reads the command line. False where it asked for help or the version only, which was printed. Throws Failure.
bool parse_options(int argc, char** argv, Options& options);

}  // namespace linnet::exporter

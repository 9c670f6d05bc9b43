#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// The exit codes of the process. The numbers are those of run_model.
enum class ExitCode {
  kOk = 0,
  kUsage = 1,       ///< the command line is invalid
  kLoad = 2,        ///< the model or a library cannot be loaded
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
  std::vector<std::string> input_names, output_names;  ///< empty for those of the program
  std::vector<std::string> dim_names;                  ///< SYMBOL=NAME
  bool states = true;                                  ///< buffers that a program changes are inputs and outputs
  std::vector<std::string> operator_libraries, lowering_libraries;
  bool is_opset_given = false;  ///< otherwise operators that need a newer one raise it
  bool external_data = false;
  bool list_operators = false;
  bool check = false;
  int check_inputs = 3;  ///< the number of random ones
  double atol = 1e-4, rtol = 1e-3;
  uint64_t seed = 0;
};

/// Parses the command line. Returns false if it only requested help or the version, which was printed. Throws Failure.
bool parse_options(int argc, char** argv, Options& options);

}  // namespace linnet::exporter

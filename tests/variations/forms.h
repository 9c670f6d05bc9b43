#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case.h"
#include "linnet/onnx.h"
#include "linnet/registry.h"

namespace linnet {

/// Which inputs of a node are constants of the model, and how it is loaded and run.
struct Form {
  std::string name;
  uint64_t constants = 0;   ///< a bit for each input
  bool as_written = false;  ///< without any optimisation, the ranks of inputs unknown
};

/// The ways in which a model may have the case's node: with all inputs given when it runs, all constant, the varied one
/// alone or all others constant, or all behind the first.
std::vector<Form> forms(const Case& node);

struct Answer {
  bool result = false;
  std::string message;  ///< of the Error
  std::string wrong;    ///< what no answer may be
};

/// Loads and runs the case's model within a second or two and 256 MiB; where inputs are too large to be given, it is
/// only planned.
Answer ask(const Case& node, const Form& form, const Registry& registry);

}  // namespace linnet

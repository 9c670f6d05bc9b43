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
  bool as_written = false;  ///< without any optimisation, with unknown ranks of inputs
};

/// Returns the ways in which a model may contain the case's node: with all inputs passed at run time, all constant,
/// only the changed one constant, all but the changed one constant, or all but the first constant.
std::vector<Form> forms(const Case& node);

struct Answer {
  bool result = false;
  std::string message;  ///< of the Error
  std::string wrong;    ///< what no answer may be
};

/// Loads and runs the case's model within a second or two and 256 MiB. If inputs are too large to allocate, only plans
/// it.
Answer ask(const Case& node, const Form& form, const Registry& registry);

}  // namespace linnet

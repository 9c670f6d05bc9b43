#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run.h"
#include "value.h"

namespace linnet::ort {

/// Values for inputs by name.
struct LoraAdapter {
  std::shared_ptr<const std::map<std::string, Value>> parameters;
};

/// The inputs of a call, followed by those of the adapters, which take precedence over inputs of the same name.
struct InputsWithAdapters {
  InputsWithAdapters(const RunCall& call, const RunOptions* options);

  std::vector<const char*> names;
  std::vector<const Value*> values;
};

}  // namespace linnet::ort

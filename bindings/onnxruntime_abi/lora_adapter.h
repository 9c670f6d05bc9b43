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

/// The inputs of a call and behind them those of the adapters, so that they count where both have one.
struct InputsWithAdapters {
  InputsWithAdapters(const RunCall& call, const RunOptions* options);

  std::vector<const char*> names;
  std::vector<const Value*> values;
};

}  // namespace linnet::ort

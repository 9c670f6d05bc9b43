#include "dim_overrides.h"

#include <strings.h>

#include <algorithm>

#include "status.h"

namespace linnet::ort {
namespace {

/// Returns the size for a denotation, ignoring case, or nullptr if the options do not specify it.
const int64_t* size_for(const SessionOptions& options, const std::string& denotation) {
  const auto& sizes = options.dims_by_denotation;
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const auto& entry) {
    return ::strcasecmp(entry.first.c_str(), denotation.c_str()) == 0;
  });
  return found == sizes.end() || denotation.empty() ? nullptr : &found->second;
}

/// Gives a dim a size. If the dim has a symbol, all dims with that symbol get the size, too.
void fix(Dim& dim, int64_t size, SessionOptions& options) {
  require(!dim.known() || dim.value() == size, "Invalid free dimension override.");
  if (dim.symbol().empty()) {
    dim = size;
  } else {
    const auto entry = options.dims_by_name.insert({dim.symbol(), size}).first;
    require(entry->second == size, "Conflicting free dimension overrides.");
  }
}

}  // namespace

void fix_denoted_dims(std::vector<ValueInfo>& inputs, SessionOptions& options) {
  for (ValueInfo& input : inputs) {
    const std::vector<std::string>& denotations = input.denotation.dims;
    for (size_t i = 0; input.fact.dims && i < std::min(denotations.size(), input.fact.dims->size()); ++i) {
      const int64_t* size = size_for(options, denotations[i]);
      if (size) fix((*input.fact.dims)[i], *size, options);
    }
  }
}

void fix_named_dims(std::vector<ValueInfo>& values, const SessionOptions& options) {
  if (options.dims_by_name.empty()) return;
  for (ValueInfo& value : values) {
    if (!value.fact.dims) continue;
    for (Dim& dim : *value.fact.dims) {
      const auto found = options.dims_by_name.find(dim.symbol());
      if (found != options.dims_by_name.end()) dim = found->second;
    }
  }
}

}  // namespace linnet::ort

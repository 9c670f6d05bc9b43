#include "dim_overrides.h"

namespace linnet::ort {

std::vector<ValueInfo> with_dims(std::vector<ValueInfo> values, const SessionOptions& options) {
  if (options.dims_by_name.empty()) return values;
  for (ValueInfo& value : values) {
    if (!value.fact.dims) continue;
    for (Dim& dim : *value.fact.dims) {
      const auto found = options.dims_by_name.find(dim.symbol());
      if (found != options.dims_by_name.end()) dim = found->second;
    }
  }
  return values;
}

}  // namespace linnet::ort

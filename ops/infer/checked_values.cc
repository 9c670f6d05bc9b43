#include "infer/checked_values.h"

#include "infer/infer.h"

namespace linnet {

int64_t positive_attribute(const NodeSpec& node, const std::string& name) {
  const auto value = node.attr<int64_t>(name);
  if (value <= 0) throw Error(ErrorKind::kModel, str(name, " must be positive, got ", value));
  return value;
}

void require_one_element(const Fact& fact, const std::string& what) {
  if (!fact.concrete() || fact.shape().elements() == 1) return;
  throw Error(ErrorKind::kShape, str(what, " must have one element, got ", fact));
}

void require_one_element(const Fact& fact, DType dtype, const std::string& what) {
  require_dtype(fact, dtype, what);
  require_one_element(fact, what);
}

}  // namespace linnet

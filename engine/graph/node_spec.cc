#include "linnet/node_spec.h"

namespace linnet {

std::string NodeSpec::describe() const {
  const std::string type = domain.empty() ? op_type : domain + "::" + op_type;
  return str(type, " '", name, "' (opset ", opset, ")");
}

void throw_missing_attribute(const std::string& attribute) {
  throw Error(ErrorKind::kModel, str("attribute '", attribute, "' is required"));
}

void throw_attribute_type(const std::string& attribute) {
  throw Error(ErrorKind::kModel, str("attribute '", attribute, "' has the wrong type"));
}

}  // namespace linnet

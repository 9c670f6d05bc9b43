#include "linnet/node_spec.h"

namespace linnet {

Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

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

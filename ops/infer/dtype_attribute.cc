#include "infer/dtype_attribute.h"

namespace linnet {

DType dtype_attribute(const NodeSpec& node, const std::string& attribute, DType fallback) {
  const auto* number = node.find<int64_t>(attribute);
  if (!number) return fallback;
  if (*number < 0 || *number > int64_t(kLastElementType)) {
    throw Error(ErrorKind::kUnsupported,
                str("attribute '", attribute, "' must be the number of an element type, got ", *number));
  }
  return DType(*number);
}

}  // namespace linnet

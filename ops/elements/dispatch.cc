#include "elements/dispatch.h"

namespace linnet {

void throw_dtype(DType dtype) { throw Error(ErrorKind::kUnsupported, str("dtype ", dtype, " is not supported here")); }

}  // namespace linnet

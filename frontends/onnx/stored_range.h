#pragma once

#include <memory>
#include <string>

#include "byte_source.h"
#include "linnet/tensor.h"

namespace linnet {

/// A tensor whose contents are read from the source when they are asked for, which throws Error(kIo) where the source
/// has changed by then. No tensor where they must be read at once: the source is no file, or was written just now, or
/// they are too few to matter. `name` goes into the message.
Tensor tensor_in(const std::shared_ptr<const ByteSource>& source, int64_t offset, DType dtype, const Shape& shape,
                 const std::string& name);

}  // namespace linnet

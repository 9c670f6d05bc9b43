#pragma once

#include "linnet_onnx.pb.h"

namespace linnet {

/// The messages of the ONNX format. Included by the loader's sources only, never by a public header.
namespace pb = ::linnet_onnx;

}  // namespace linnet

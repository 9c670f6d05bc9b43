#pragma once

#include "linnet_onnx.pb.h"

namespace linnet {

/// The messages of the ONNX format. Only the loader's sources include this file, never a public header.
namespace pb = ::linnet_onnx;

}  // namespace linnet

#pragma once

#include "onnxruntime_abi/slots.h"

namespace linnet::ort {

/// The table of another library's functions, its fields in the order that ONNX Runtime's C interface fixes: no header
/// of ONNX Runtime is needed.
struct Table {
#define IMPLEMENTED(result, name, parameters) result(*name) parameters;
#define REFUSED(name) Slot name;
#define ABSENT(name, provider) Slot name;
#define NOTHING(name) Slot name;
#include "onnxruntime_abi/slots.inc"
#undef IMPLEMENTED
#undef REFUSED
#undef ABSENT
#undef NOTHING
};

}  // namespace linnet::ort

#pragma once

#include "onnxruntime_abi/slots.h"

namespace linnet::ort {

/// The table of ONNX Runtime's functions. Its fields are in the fixed order of ONNX Runtime's C interface, so that no
/// header of ONNX Runtime is needed.
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

#pragma once

#include <ATen/core/Tensor.h>

#include "linnet/tensor.h"
#include "torchscript/tracer.h"

namespace linnet::exporter::torchscript {

/// Whether both hold positions of equal elements. An operator may choose any of these.
bool is_tie(const Tensor& got, const at::Tensor& expected, const Positions& positions);

}  // namespace linnet::exporter::torchscript

#pragma once

#include <ATen/core/Tensor.h>

#include "linnet/tensor.h"
#include "torchscript/tracer.h"

namespace linnet::exporter::torchscript {

/// Both hold positions of elements that are equal: which of them an operator chooses is left open.
bool is_tie(const Tensor& got, const at::Tensor& expected, const Positions& positions);

}  // namespace linnet::exporter::torchscript

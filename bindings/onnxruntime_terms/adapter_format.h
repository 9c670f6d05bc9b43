#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::ort {

/// Values for inputs of a model, as files of ONNX Runtime (.onnx_adapter) have them.
struct Adapter {
  int32_t version = 0, model_version = 0;
  std::map<std::string, Tensor> parameters{};
};

/// Reads the contents of such a file. Throws Failure(kFail) where they are malformed, and Failure(kNotImplemented) in a
/// build without LINNET_BUILD_ORT_FORMAT, as adapter_bytes() does.
Adapter parse_adapter(std::span<const std::byte> bytes);

/// The contents of a file. Throws Failure(kFail) for types that adapters do not have, and beyond 2 GiB.
std::vector<std::byte> adapter_bytes(const Adapter& adapter);

}  // namespace linnet::ort

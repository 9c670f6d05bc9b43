#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::ort {

/// Values for inputs of a model, as stored in ONNX Runtime's adapter files (.onnx_adapter).
struct Adapter {
  int32_t version = 0, model_version = 0;
  std::map<std::string, Tensor> parameters{};
};

/// Reads the contents of such a file. Throws Failure(kFail) if they are malformed. Like adapter_bytes(), throws
/// Failure(kNotImplemented) in a build without LINNET_BUILD_ORT_FORMAT.
Adapter parse_adapter(std::span<const std::byte> bytes);

/// Returns the contents of a file. Throws Failure(kFail) for types that adapters cannot have, and above 2 GiB.
std::vector<std::byte> adapter_bytes(const Adapter& adapter);

}  // namespace linnet::ort

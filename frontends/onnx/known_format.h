#pragma once

#include <string>

#include "byte_source.h"

namespace linnet {

/// What a file that is not a model Linnet reads is by its first bytes, and what to do with it: "a TensorFlow Lite model
/// (.tflite): convert it to ONNX with tf2onnx"; "" where that is unknown.
std::string known_format(const ByteSource& file);

}  // namespace linnet

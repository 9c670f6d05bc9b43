#pragma once

#include <string>

#include "linnet/fact.h"

namespace linnet::tool {

/// One -i argument: NAME=FILE, or NAME:dtype:1x3x8x8=FILE for raw bytes.
struct InputFile {
  std::string name;
  std::string path;
  Fact raw;  ///< dtype and shape of raw bytes; not present() if they are not given

  /// Throws Failure(kUsage).
  static InputFile parse(const std::string& argument);
};

/// Whether load_input() reads one array from a file of this name: a .npy or an image.
bool is_array_file(const std::string& path);

/// Reads .npy, .npz:member, .pb, an image, or raw bytes (.bin or any other name; little-endian, row-major). `wanted`:
/// what the model declares for the input. Images are scaled to it, and it is the type of raw bytes without one. Throws
/// Error(kIo, kShape, kType, kModel, kUnsupported), Failure(kUsage) for raw bytes of unknown shape.
Tensor load_input(const InputFile& file, const Fact& wanted);

}  // namespace linnet::tool

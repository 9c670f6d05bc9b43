#include "values/input_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "command/failure.h"
#include "linnet/image.h"
#include "linnet/onnx_value.h"
#include "values/files.h"
#include "values/npy.h"
#include "values/npz.h"
#include "values/parse_text.h"

namespace linnet::tool {
namespace {

Tensor load_raw(const InputFile& file, const Fact& wanted) {
  const Fact& fact = file.raw.present() ? file.raw : wanted;
  if (!fact.concrete() || fact.dtype == DType::kString) {
    throw Failure(ExitCode::kUsage, str("raw bytes of unknown type or shape: write -i ", file.name,
                                        ":dtype:1x3x8x8=", file.path, " (the input is ", fact, ")"));
  }
  const CountedVector<std::byte> bytes = read_file(file.path);
  Tensor result(fact.dtype, fact.shape());
  if (bytes.size() != result.bytes()) {
    throw Error(ErrorKind::kShape,
                str(file.path, ": expected ", result.bytes(), " bytes for ", describe(result), ", got ", bytes.size()));
  }
  if (!bytes.empty()) std::memcpy(result.raw(), bytes.data(), bytes.size());
  return result;
}

Tensor load_npy(const std::string& path) {
  try {
    return parse_npy(read_file(path));
  } catch (const Error& error) {
    throw error.kind() == ErrorKind::kIo && error.message().starts_with(path) ? error : error.with_context(path);
  }
}

std::string extension(const std::string& path) {
  std::string text = std::filesystem::path(path).extension().string();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

/// Whether the extension is that of a format that decode_image() supports.
bool is_image(const std::string& path) {
  static constexpr std::array kExtensions{".png",  ".jpg",  ".jpeg", ".jp2", ".j2k", ".bmp", ".tif",
                                          ".tiff", ".webp", ".pbm",  ".pgm", ".ppm", ".pnm"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension(path)) != kExtensions.end();
}

}  // namespace

InputFile InputFile::parse(const std::string& argument) {
  const auto sides = split_first(argument, '=');
  if (!sides || sides->second.empty()) {
    throw Failure(ExitCode::kUsage, "-i " + argument + ": expected NAME=FILE or NAME:dtype:1x3x8x8=FILE");
  }
  InputFile file{sides->first, sides->second, {}};
  const auto shape_part = split_last(file.name, ':');
  const auto dtype_part = shape_part ? split_last(shape_part->first, ':') : std::nullopt;
  if (!dtype_part) return file;
  const DType dtype = dtype_from_name(dtype_part->second);
  const auto shape = parse_shape(shape_part->second);
  if (dtype == DType::kUndefined || !shape) return file;
  file.name = dtype_part->first;
  file.raw = Fact(dtype, *shape);
  return file;
}

bool is_array_file(const std::string& path) { return path.ends_with(".npy") || is_image(path); }

Tensor load_input(const InputFile& file, const Fact& wanted) {
  if (file.raw.present()) return load_raw(file, wanted);
  const size_t member = file.path.find(".npz:");
  if (member != std::string::npos)
    return load_npz_member(file.path.substr(0, member + 4), file.path.substr(member + 5));
  if (file.path.ends_with(".npz")) return load_npz_member(file.path, file.name);
  if (file.path.ends_with(".npy")) return load_npy(file.path);
  if (file.path.ends_with(".pb")) return load_value_proto(file.path, wanted).tensor;
  if (is_image(file.path)) return image_tensor(read_image(file.path), wanted);
  return load_raw(file, wanted);
}

}  // namespace linnet::tool

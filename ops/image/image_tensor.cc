#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "elements/axis_index.h"
#include "linnet/image.h"
#include "tensor/counted_memory.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// The interpolation of an output pixel: the two neighbouring input pixels and the weight of the second.
struct Tap {
  int64_t first, second;
  float weight;
};

CountedVector<Tap> taps(int64_t from, int64_t to) {
  CountedVector<Tap> result;
  for (int64_t i = 0; i < to; ++i) {
    const double at = std::clamp((double(i) + 0.5) * double(from) / double(to) - 0.5, 0.0, double(from - 1));
    const int64_t first = axis_index(at, from);
    result.push_back({first, std::min(first + 1, from - 1), float(at - double(first))});
  }
  return result;
}

float sample(const Image& image, const Tap& y, const Tap& x, int64_t channel) {
  const auto pixel = [&](int64_t row, int64_t column) {
    return float(image.rgb[size_t((row * image.width + column) * 3 + channel)]);
  };
  const float top = std::lerp(pixel(y.first, x.first), pixel(y.first, x.second), x.weight);
  const float bottom = std::lerp(pixel(y.second, x.first), pixel(y.second, x.second), x.weight);
  return std::lerp(top, bottom, y.weight) / 255.0f;
}

}  // namespace

Image read_image(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  CountedVector<uint8_t> bytes(failed ? 0 : size);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()))) {
    throw Error(ErrorKind::kIo, str("cannot read '", path, "': ", failed.message()));
  }
  try {
    return decode_image(bytes);
  } catch (const Error& error) {
    throw error.with_context(path);
  }
}

Tensor image_tensor(const Image& image, const Fact& wanted) {
  if (wanted.dtype != DType::kFloat32) {
    throw Error(ErrorKind::kType, str("an image becomes float32, the input is ", wanted));
  }
  if (!wanted.has_rank() || wanted.rank() != 4) {
    throw Error(ErrorKind::kShape, str("an image becomes [1,C,H,W], the input is ", wanted));
  }
  const bool gray = wanted.dim(1).value() == 1;
  const int64_t height = wanted.dim(2).known() ? wanted.dim(2).value() : image.height;
  const int64_t width = wanted.dim(3).known() ? wanted.dim(3).value() : image.width;
  CountedMemory counted;
  counted.add(image.rgb.size());
  Tensor result(DType::kFloat32, {1, gray ? 1 : 3, height, width});
  float* y = result.data<float>();
  const CountedVector<Tap> rows = taps(image.height, height), columns = taps(image.width, width);
  for (int64_t c = 0; c < result.dim(1); ++c) {
    for (const Tap& row : rows) {
      for (const Tap& column : columns) {
        *y++ = gray ? 0.299f * sample(image, row, column, 0) + 0.587f * sample(image, row, column, 1) +
                          0.114f * sample(image, row, column, 2)
                    : sample(image, row, column, c);
      }
    }
  }
  return result;
}

}  // namespace linnet

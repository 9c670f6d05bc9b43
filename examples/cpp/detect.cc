// detect MODEL IMAGE RESULT.ppm: draws the boxes that a detector finds. The model takes an image as float32 [1,3,H,W]
// in 0..1 and gives float32 [N,6] or [1,N,6]: left, top, right, bottom in its own pixels, score, class.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>

#include "image_input.h"

namespace {

constexpr int64_t kStride = 32;  // what detectors divide heights and widths by

struct Box {
  int64_t left, top, right, bottom;
};

/// Draws a red frame, clipped to the image.
void draw(linnet::Image& image, const Box& box) {
  const auto paint = [&](int64_t y, int64_t x) {
    if (y < 0 || y >= image.height || x < 0 || x >= image.width) return;
    const uint8_t red[] = {255, 0, 0};
    std::copy_n(red, 3, image.rgb.begin() + (y * image.width + x) * 3);
  };
  for (int64_t x = std::max<int64_t>(box.left, 0); x <= std::min(box.right, image.width - 1); ++x) {
    paint(box.top, x);
    paint(box.bottom, x);
  }
  for (int64_t y = std::max<int64_t>(box.top, 0); y <= std::min(box.bottom, image.height - 1); ++y) {
    paint(y, box.left);
    paint(y, box.right);
  }
}

/// Throws std::invalid_argument where the output is not rows of left, top, right, bottom, score, class.
void check_boxes(const linnet::Tensor& boxes, const linnet::Model& model) {
  const bool six = boxes && boxes.dtype() == linnet::DType::kFloat32 && boxes.rank() >= 2 &&
                   boxes.dim(boxes.rank() - 1) == 6 && boxes.size() == 6 * boxes.dim(boxes.rank() - 2);
  if (!six) {
    throw std::invalid_argument("the model returns " + describe(model.outputs()) +
                                "; expected boxes, float32[N,6] or [1,N,6]: left, top, right, bottom, score, class. "
                                "Export the detector with its non-maximum suppression");
  }
  const std::span<const float> values = boxes.values<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && (i % 6 != 4 || std::abs(values[i]) <= 1)) continue;
    throw std::invalid_argument("output '" + model.outputs()[0].name +
                                "' has scores that are not from 0 to 1 in its column 4; expected left, top, right, "
                                "bottom, score, class");
  }
}

int64_t pixel(float position, float scale) { return int64_t(std::clamp(position * scale, -1e6f, 1e6f)); }

int64_t open_size(int64_t own) { return std::max<int64_t>(own / kStride, 1) * kStride; }

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw std::invalid_argument("usage: detect MODEL IMAGE RESULT.ppm");
  linnet::Image image = linnet::read_image(argv[2]);
  const linnet::Model model = linnet::load_onnx(argv[1]);
  const linnet::Tensor x = image_input(image, model, open_size(image.height), open_size(image.width));
  linnet::Context context(model);
  const linnet::Tensor boxes = context.run(std::vector{x})[0];
  check_boxes(boxes, model);

  const float wide = float(image.width) / float(x.dim(3)), high = float(image.height) / float(x.dim(2));
  for (const float* row = boxes.data<float>(); row < boxes.data<float>() + boxes.size(); row += 6) {
    if (row[4] < 0.5f) continue;
    const Box box{pixel(row[0], wide), pixel(row[1], high), pixel(row[2], wide), pixel(row[3], high)};
    draw(image, box);
    std::cout << "class " << row[5] << ", score " << row[4] << ": " << box.left << ' ' << box.top << ' ' << box.right
              << ' ' << box.bottom << '\n';
  }
  std::ofstream result(argv[3], std::ios::binary);
  result << "P6\n" << image.width << ' ' << image.height << "\n255\n";
  result.write(reinterpret_cast<const char*>(image.rgb.data()), std::streamsize(image.rgb.size()));
  if (!result.flush()) throw std::runtime_error(std::string("cannot write ") + argv[3]);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

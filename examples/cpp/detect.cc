// detect MODEL IMAGE RESULT.ppm: draws the boxes that a detector finds. The model takes an image as float32 [1,3,H,W]
// in 0..1 and gives float32 [N,6] or [1,N,6]: left, top, right, bottom in its own pixels, score, class.

#include <linnet/image.h>
#include <linnet/onnx.h>

#include <algorithm>
#include <fstream>
#include <iostream>

namespace {

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

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw std::invalid_argument("usage: detect MODEL IMAGE RESULT.ppm");
  linnet::Image image = linnet::read_image(argv[2]);
  const linnet::Model model = linnet::load_onnx(argv[1]);
  const linnet::Tensor x = linnet::image_tensor(image, model.inputs().at(0).fact);
  linnet::Context context(model);
  const linnet::Tensor boxes = context.run(std::vector{x})[0];

  const float wide = float(image.width) / float(x.dim(3)), high = float(image.height) / float(x.dim(2));
  for (const float* row = boxes.data<float>(); row < boxes.data<float>() + boxes.size(); row += 6) {
    if (row[4] < 0.5f) continue;
    const Box box{int64_t(row[0] * wide), int64_t(row[1] * high), int64_t(row[2] * wide), int64_t(row[3] * high)};
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

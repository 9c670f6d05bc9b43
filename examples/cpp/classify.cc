// classify MODEL IMAGE [LABELS]: prints the five most probable classes of an image, by a classifier of ImageNet's kind.

#include <linnet/image.h>
#include <linnet/onnx.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: classify MODEL IMAGE [LABELS]");
  const linnet::Model model = linnet::load_onnx(argv[1]);
  linnet::Tensor x = linnet::image_tensor(linnet::read_image(argv[2]), model.inputs().at(0).fact);
  const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
  const int64_t pixels = x.dim(2) * x.dim(3);
  for (int64_t i = 0; i < x.size(); ++i) {
    float& value = x.data<float>()[i];
    value = (value - mean[i / pixels]) / deviation[i / pixels];
  }

  linnet::Context context(model);
  const std::span<const float> scores = context.run(std::vector{x})[0].values<float>();
  const float most = *std::max_element(scores.begin(), scores.end());
  const float sum = std::accumulate(scores.begin(), scores.end(), 0.0f,
                                    [&](float total, float score) { return total + std::exp(score - most); });
  std::vector<size_t> classes(scores.size());
  std::iota(classes.begin(), classes.end(), size_t{0});
  const auto shown = classes.begin() + std::ptrdiff_t(std::min<size_t>(5, classes.size()));
  std::partial_sort(classes.begin(), shown, classes.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });

  std::vector<std::string> labels(classes.size());
  std::ifstream lines(argc > 3 ? argv[3] : "");
  for (std::string& label : labels) std::getline(lines, label);
  for (auto c = classes.begin(); c != shown; ++c) {
    std::cout << *c << ' ' << std::exp(scores[*c] - most) / sum << ' ' << labels[*c] << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

// classify MODEL IMAGE [LABELS]: prints the five most probable classes of an image, by a classifier of ImageNet's kind.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>

#include "image_input.h"

namespace {

constexpr int64_t kOpenSize = 224;  // what ImageNet's models are trained on

bool is_one_score_a_class(const linnet::Tensor& y) {
  int64_t most = 0;
  for (int axis = 0; y && axis < y.rank(); ++axis) most = std::max(most, y.dim(axis));
  return y && y.dtype() == linnet::DType::kFloat32 && y.size() >= 2 && y.size() == most;
}

/// Softmax, unless the model has applied it.
std::vector<float> probabilities(std::span<const float> scores) {
  std::vector<float> result(scores.begin(), scores.end());
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  if (*least >= 0 && std::abs(std::accumulate(scores.begin(), scores.end(), 0.0f) - 1) < 1e-3f) return result;
  for (float& score : result) score = std::exp(score - *most);
  const float sum = std::accumulate(result.begin(), result.end(), 0.0f);
  for (float& score : result) score /= sum;
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: classify MODEL IMAGE [LABELS]");
  const linnet::Model model = linnet::load_onnx(argv[1]);
  linnet::Tensor x = image_input(linnet::read_image(argv[2]), model, kOpenSize, kOpenSize);
  const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
  const int64_t pixels = x.dim(2) * x.dim(3);
  for (int64_t i = 0; i < x.size(); ++i) {
    float& value = x.data<float>()[i];
    value = (value - mean[i / pixels]) / deviation[i / pixels];
  }

  linnet::Context context(model);
  const linnet::Tensor y = context.run(std::vector{x})[0];
  if (!is_one_score_a_class(y)) {
    throw std::invalid_argument("the model returns " + describe(model.outputs()) +
                                "; expected a score of each class, float32[1,classes]");
  }
  const std::vector<float> scores = probabilities(y.values<float>());
  std::vector<size_t> classes(scores.size());
  std::iota(classes.begin(), classes.end(), size_t{0});
  const auto shown = classes.begin() + std::ptrdiff_t(std::min<size_t>(5, classes.size()));
  std::partial_sort(classes.begin(), shown, classes.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });

  std::vector<std::string> labels(classes.size());
  std::ifstream lines(argc > 3 ? argv[3] : "");
  for (std::string& label : labels) std::getline(lines, label);
  for (auto c = classes.begin(); c != shown; ++c) {
    std::cout << *c << ' ' << scores[*c] << ' ' << labels[*c] << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

#include "quantizer/grids.h"

#include <algorithm>
#include <cmath>

namespace linnet {
namespace {

constexpr float kMostInt8 = 127, kMostReduced = 64;
constexpr float kMostBias = 0x1p30f;
constexpr int64_t kZero4 = 8;

float scale_or_one(float scale) { return std::isnormal(scale) ? scale : 1.0f; }

/// Calls f(element, channel) for all weights.
template <class F>
void for_each_weight(const Layer& layer, F&& f) {
  int64_t inner = 1;
  for (int i = layer.axis + 1; i < layer.weights.rank(); ++i) inner *= layer.weights.dim(i);
  for (int64_t i = 0; i < layer.weights.size(); ++i) f(i, i / inner % layer.channels());
}

std::vector<float> largest_magnitudes(const Layer& layer) {
  std::vector<float> largest(size_t(layer.channels()), 0);
  const float* w = layer.weights.data<float>();
  for_each_weight(layer, [&](int64_t i, int64_t channel) {
    largest[size_t(channel)] = std::max(largest[size_t(channel)], std::abs(w[i]));
  });
  return largest;
}

/// The least scale of each channel for which weights and bias fit.
std::vector<float> channel_scales(const Layer& layer, float most, float input_scale) {
  std::vector<float> scales = largest_magnitudes(layer);
  for (float& scale : scales) scale /= most;
  for (size_t i = 0; layer.bias && input_scale > 0 && i < scales.size(); ++i) {
    scales[i] = std::max(scales[i], std::abs(layer.bias.data<float>()[i]) / (input_scale * kMostBias));
  }
  return scales;
}

float at(const Tensor& scale, int64_t channel) { return scale.data<float>()[scale.rank() == 0 ? 0 : channel]; }

void quantize_block(const float* w, int64_t stride, int64_t count, uint8_t* packed, float& scale) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::abs(w[i * stride]) > std::abs(largest) ? w[i * stride] : largest;
  scale = scale_or_one(largest / -float(kZero4));  // The largest magnitude becomes -8, because +8 does not exist.
  for (int64_t i = 0; i < count; ++i) {
    const auto code = int64_t(std::nearbyint(w[i * stride] / scale)) + kZero4;
    const int64_t shift = i % 2 * 4;
    packed[i / 2] = uint8_t((packed[i / 2] & ~(15 << shift)) | std::clamp<int64_t>(code, 0, 15) << shift);
  }
}

}  // namespace

ActivationGrid::ActivationGrid(const ValueRange& range)
    : scale(scale_or_one(range.high / 255 - range.low / 255)),
      zero(uint8_t(std::clamp(std::nearbyint(-range.low / scale), 0.0f, 255.0f))) {}

ByteWeights quantize_weights(const Layer& layer, const WeightGrid& grid, float input_scale) {
  const float most = grid.reduce_range ? kMostReduced : kMostInt8;
  std::vector<float> scales = channel_scales(layer, most, input_scale);
  if (!grid.per_channel) scales = {*std::max_element(scales.begin(), scales.end())};
  std::transform(scales.begin(), scales.end(), scales.begin(), scale_or_one);
  ByteWeights result{Tensor(DType::kInt8, layer.weights.shape()),
                     grid.per_channel ? Tensor::of(scales) : Tensor::scalar(scales[0])};
  const float* w = layer.weights.data<float>();
  int8_t* values = result.values.data<int8_t>();
  for_each_weight(layer, [&](int64_t i, int64_t channel) {
    values[i] = int8_t(std::clamp(std::nearbyint(w[i] / at(result.scale, channel)), -most, most));
  });
  return result;
}

ByteWeights quantize_bias(const Layer& layer, const ByteWeights& weights, float input_scale) {
  ByteWeights result{Tensor(DType::kInt32, layer.bias.shape()), weights.scale.clone()};
  for (int64_t i = 0; i < result.scale.size(); ++i) result.scale.data<float>()[i] *= input_scale;
  for (int64_t i = 0; i < layer.bias.size(); ++i) {
    const double bias = double(layer.bias.data<float>()[i]), scale = double(at(result.scale, i));
    const double value = bias == 0 ? 0 : bias / scale;  // A product of small scales may be 0.
    result.values.data<int32_t>()[i] = int32_t(std::clamp(std::nearbyint(value), -0x1p31, 0x1p31 - 1));
  }
  return result;
}

ByteWeights quantize_blocks(const Layer& layer, int64_t block_size) {
  const int64_t n = layer.channels(), k = layer.weights.dim(1 - layer.axis);
  const int64_t blocks = (k + block_size - 1) / block_size;
  ByteWeights result{Tensor(DType::kUint8, {n, blocks, block_size / 2}), Tensor(DType::kFloat32, {n, blocks})};
  auto* packed = result.values.data<uint8_t>();
  std::fill_n(packed, result.values.size(), uint8_t{kZero4 << 4 | kZero4});
  const int64_t stride = layer.axis == 0 ? 1 : n, row = layer.axis == 0 ? k : 1;
  float* scale = result.scale.data<float>();
  for (int64_t channel = 0; channel < n; ++channel) {
    const float* w = layer.weights.data<float>() + channel * row;
    for (int64_t i = 0; i < k; i += block_size, packed += block_size / 2, ++scale) {
      quantize_block(w + i * stride, stride, std::min(block_size, k - i), packed, *scale);
    }
  }
  return result;
}

}  // namespace linnet

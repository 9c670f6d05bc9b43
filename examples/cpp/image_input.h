#pragma once

#include <linnet/image.h>
#include <linnet/onnx.h>

#include <stdexcept>
#include <string>
#include <vector>

/// "'x' float32[N,3,8,8], 'n' int64[]": inputs or outputs of a model.
inline std::string describe(const std::vector<linnet::ValueInfo>& values) {
  std::string text;
  for (const linnet::ValueInfo& value : values) {
    text += linnet::str(text.empty() ? "'" : ", '", value.name, "' ", value.fact);
  }
  return text.empty() ? "no value" : text;
}

/// The image as the one input of a model: float32 [1,3,H,W], or [1,1,H,W] in grey, in 0..1. The input's H and W may be
/// open: then they are `height` and `width`. Throws std::invalid_argument for inputs that are no image.
inline linnet::Tensor image_input(const linnet::Image& image, const linnet::Model& model, int64_t height,
                                  int64_t width) {
  const auto fits = [](const linnet::Dim& dim, int64_t one, int64_t other) {
    return !dim.known() || dim.value() == one || dim.value() == other;
  };
  linnet::Fact fact = model.inputs().size() == 1 ? model.inputs()[0].fact : linnet::Fact();
  const bool is_image = fact.dtype == linnet::DType::kFloat32 && fact.has_rank() && fact.rank() == 4;
  if (!is_image || !fits(fact.dim(0), 1, 1) || !fits(fact.dim(1), 1, 3)) {
    throw std::invalid_argument("the model takes " + describe(model.inputs()) +
                                "; expected one image, float32[N,3,H,W]");
  }
  linnet::Dims dims = *fact.dims;
  if (!dims[2].known()) dims[2] = height;
  if (!dims[3].known()) dims[3] = width;
  return linnet::image_tensor(image, linnet::Fact(fact.dtype, dims));
}

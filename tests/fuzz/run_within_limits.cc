#include "run_within_limits.h"

#include <algorithm>
#include <random>

namespace linnet {
namespace {

constexpr Limits kLimits{
    .file_bytes = 1 << 20, .nodes = 10'000, .depth = 16, .memory_bytes = int64_t{64} << 20, .deadline_ms = 1000};
constexpr int64_t kMostElements = 1 << 16;

Shape shape_of(const Fact& fact) {
  if (!fact.has_rank()) return {};
  Shape shape;
  for (const Dim& dim : *fact.dims) shape.push_back(dim.known() ? dim.value() : 2);
  const bool empty = std::any_of(shape.begin(), shape.end(), [](int64_t dim) { return dim == 0; });
  return empty || shape.elements() <= kMostElements ? shape : Shape{};
}

template <class T>
void fill_numbers(Tensor& tensor, std::minstd_rand& random) {
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = T(int(random() % 64) - 16) / T(8);
}

void fill(Tensor& tensor, uint32_t seed) {
  if (tensor.bytes() == 0 || is_container(tensor.dtype())) return;
  std::minstd_rand random(seed);
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; seed && i < tensor.size(); ++i) {
      tensor.data<std::string>()[i].assign(random() % 4, char('a' + random() % 3));
    }
    return;
  }
  if (seed && tensor.dtype() == DType::kFloat32) return fill_numbers<float>(tensor, random);
  if (seed && tensor.dtype() == DType::kFloat64) return fill_numbers<double>(tensor, random);
  const auto byte = [&] { return seed && random() % 2 ? char(random() % 8) : char(0); };
  std::generate_n(static_cast<char*>(tensor.raw()), tensor.bytes(), byte);
  if (tensor.dtype() != DType::kBool) return;
  for (int64_t i = 0; i < tensor.size(); ++i) static_cast<char*>(tensor.raw())[i] &= 1;
}

}  // namespace

ModelOptions limited_options() { return {.limits = kLimits, .executor = make_serial_executor()}; }

ContextOptions limited_context_options() { return {.executor = make_serial_executor(), .limits = kLimits, .seed = 1}; }

std::vector<Tensor> drawn_inputs(const Model& model, uint32_t seed) {
  std::vector<Tensor> inputs;
  for (const ValueInfo& info : model.inputs()) {
    inputs.emplace_back(info.fact.dtype, shape_of(info.fact));
    fill(inputs.back(), seed);
  }
  return inputs;
}

}  // namespace linnet

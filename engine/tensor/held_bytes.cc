#include "tensor/held_bytes.h"

#include <numeric>

#include "linnet/containers.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

size_t text_bytes(const Tensor& value) {
  const std::span<const std::string> texts = value.values<std::string>();
  return std::accumulate(texts.begin(), texts.end(), size_t{0},
                         [](size_t sum, const std::string& text) { return sum + text.size(); });
}

size_t element_bytes(const Tensor& value) {
  if (value.dtype() == DType::kOptional) return held_bytes(value.data<Optional>()->value);
  if (value.dtype() == DType::kMap) return held_bytes(value.data<Map>()->keys) + held_bytes(value.data<Map>()->values);
  const std::vector<Tensor>& elements = value.data<Sequence>()->elements;
  return std::accumulate(elements.begin(), elements.end(), size_t{0},
                         [](size_t sum, const Tensor& element) { return sum + sizeof(Tensor) + held_bytes(element); });
}

}  // namespace

size_t held_bytes(const Tensor& value) {
  if (!value) return 0;
  if (value.dtype() == DType::kString) return value.bytes() + text_bytes(value);
  if (!StoredContents::in_memory(value)) return 0;
  return value.bytes() + (is_container(value.dtype()) ? element_bytes(value) : 0);
}

}  // namespace linnet

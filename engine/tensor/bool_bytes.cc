#include "tensor/bool_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "linnet/containers.h"

namespace linnet {
namespace {

bool any_above_one(const uint8_t* bytes, size_t count) {
  typedef uint64_t Words __attribute__((vector_size(64)));
  constexpr size_t kBlock = 1024;  // bytes between two checks of the result
  constexpr Words kOthers = Words{} + 0xfefefefefefefefe;
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    Words found{}, word;
    for (size_t k = 0; k < kBlock; k += sizeof word) {
      std::memcpy(&word, bytes + i + k, sizeof word);
      found |= word;
    }
    found &= kOthers;
    uint64_t any = 0;
    for (size_t k = 0; k < sizeof found / sizeof any; ++k) any |= found[k];
    if (any != 0) return true;
  }
  return std::any_of(bytes + i, bytes + count, [](uint8_t byte) { return byte > 1; });
}

}  // namespace

bool has_other_bools(const Tensor& value) {
  switch (value.dtype()) {
    case DType::kBool:
      return any_above_one(static_cast<const uint8_t*>(value.raw()), value.bytes());
    case DType::kSequence:
      return std::ranges::any_of(value.data<Sequence>()->elements, has_other_bools);
    case DType::kOptional:
      return has_other_bools(value.data<Optional>()->value);
    case DType::kMap:
      return has_other_bools(value.data<Map>()->values);
    default:
      return false;
  }
}

Tensor normalized_bools(const Tensor& value) {
  if (!has_other_bools(value)) return value;
  switch (value.dtype()) {
    case DType::kSequence: {
      Sequence sequence = *value.data<Sequence>();
      for (Tensor& element : sequence.elements) element = normalized_bools(element);
      return Tensor::scalar(sequence);
    }
    case DType::kOptional:
      return Tensor::scalar(Optional{normalized_bools(value.data<Optional>()->value)});
    case DType::kMap:
      return Tensor::scalar(Map{value.data<Map>()->keys, normalized_bools(value.data<Map>()->values)});
    default: {
      Tensor copy = value.clone();
      normalize_bools(copy);
      return copy;
    }
  }
}

void normalize_bools(Tensor& tensor) {
  if (tensor.dtype() != DType::kBool) return;
  auto* bytes = static_cast<uint8_t*>(tensor.raw());
  std::transform(bytes, bytes + tensor.bytes(), bytes, [](uint8_t byte) { return uint8_t(byte != 0); });
}

}  // namespace linnet

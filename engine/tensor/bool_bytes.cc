#include "tensor/bool_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "linnet/containers.h"

namespace linnet {
namespace {

typedef uint64_t Word __attribute__((vector_size(16)));

/// The bytes at an address of any alignment.
Word word_at(const uint8_t* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Four words, which do not depend on each other, are in registers: memory is read as fast as it arrives.
bool any_above_one(const uint8_t* bytes, size_t count) {
  constexpr uint64_t kOthers = 0xfefefefefefefefe;
  constexpr size_t kBlock = 1024;  // bytes between two checks of the result
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    Word a{}, b{}, c{}, d{};
    for (size_t k = i; k < i + kBlock; k += 4 * sizeof(Word)) {
      a |= word_at(bytes + k);
      b |= word_at(bytes + k + sizeof(Word));
      c |= word_at(bytes + k + 2 * sizeof(Word));
      d |= word_at(bytes + k + 3 * sizeof(Word));
    }
    const Word all = (a | b) | (c | d);
    if (((all[0] | all[1]) & kOthers) != 0) return true;
  }
  uint64_t all = 0;
  for (uint64_t word; i + sizeof word <= count; i += sizeof word) {
    std::memcpy(&word, bytes + i, sizeof word);
    all |= word;
  }
  for (; i < count; ++i) all |= bytes[i];
  return (all & kOthers) != 0;
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

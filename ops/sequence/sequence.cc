#include "sequence/sequence.h"

namespace linnet {

const Fact& sequence_element(std::span<const Fact> in, int input) {
  const Fact& fact = in[size_t(input)];
  if (fact.dtype != DType::kSequence || !fact.element) {
    throw Error(ErrorKind::kType, str("input ", input, " must be a sequence, got ", fact));
  }
  return *fact.element;
}

void require_position(std::span<const Fact> in, int input) {
  constexpr DType kInts[] = {DType::kInt32, DType::kInt64};
  require_dtype_in(in[size_t(input)], kInts, "position");
}

size_t sequence_position(const Tensor& position, size_t count) {
  const std::vector<int64_t> values = tensor_ints(position);
  if (values.size() != 1) throw Error(ErrorKind::kShape, str("position must hold one element, got ", position.shape()));
  const int64_t n = int64_t(count), at = values[0] < 0 ? values[0] + n : values[0];
  if (at < 0 || at >= n) {
    throw Error(ErrorKind::kShape, str("position ", values[0], " is outside [", -n, ", ", n, ")"));
  }
  return size_t(at);
}

}  // namespace linnet

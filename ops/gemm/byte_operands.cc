#include "gemm/byte_operands.h"

namespace linnet {

Bytes::Bytes(const Tensor& tensor, const Tensor& zero_points)
    : values(static_cast<const uint8_t*>(tensor.raw())),
      zeros(static_cast<const uint8_t*>(zero_points.raw())),
      flip(tensor.dtype() == DType::kInt8 ? 0x80 : 0) {
  static constexpr uint8_t kNone = 0;
  if (!zero_points) zeros = &kNone;
}

void Bytes::scatter(int64_t first, int64_t n, int32_t zero, int16_t* to, int64_t pitch) const {
  for (int64_t i = 0; i < n; ++i) to[i * pitch] = int16_t((values[first + i] ^ flip) - zero);
}

bool subtracts_nothing(const CompileInput& in, int matrices, int zeros) {
  const int32_t nothing = in.dtype(matrices) == DType::kUint8 ? 128 : 0;
  if (!in.has(zeros)) return nothing == 0;
  const Tensor* constant = in.constant(zeros);
  if (!constant) return false;
  for (int64_t i = 0; i < constant->size(); ++i) {
    if (byte_at(*constant, i) != nothing) return false;
  }
  return true;
}

void ByteRows::rows(const RowBlock& block, const int16_t** pointers, std::byte* scratch) const {
  auto* copy = reinterpret_cast<int16_t*>(scratch);
  for (int i = 0; i < block.rows; ++i, copy += row_copy_pitch<int16_t>(block.depth)) {
    const int64_t row = block.row + i;
    const int32_t zero = a_.zero(zero_.at(matrix_, row, 0));
    widen_(a_.values + (matrix_ * rows_ + row) * depth_ + block.k, block.depth, uint8_t(a_.flip), int16_t(zero), copy);
    copy[block.depth] = 0;  // the other half of a pair
    pointers[i] = copy;
  }
}

size_t ByteRows::scratch_bytes(int64_t depth) { return dtype_bytes(DType::kInt16, row_copy_pitch<int16_t>(depth)); }

}  // namespace linnet

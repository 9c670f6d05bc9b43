#pragma once

#include "gemm/rows.h"
#include "kernels/byte_rows.h"
#include "linnet/op.h"
#include "quantization/parameter.h"

namespace linnet {

/// An 8-bit tensor and its zero points. Products multiply the differences of values and zero points. int8 is read as
/// uint8 with the highest bit flipped, which preserves the differences.
struct Bytes {
  /// zero_points: of the same dtype; an omitted tensor is 0.
  Bytes(const Tensor& tensor, const Tensor& zero_points);
  /// The same for uint8.
  Bytes(const uint8_t* first, const uint8_t* zero_points) : values(first), zeros(zero_points), flip(0) {}

  int32_t zero(int64_t i) const { return zeros[i] ^ flip; }
  /// Sets to[i * pitch] to the difference of values[first + i] and zero, for i < n.
  void scatter(int64_t first, int64_t n, int32_t zero, int16_t* to, int64_t pitch) const;

  const uint8_t *values, *zeros;
  int32_t flip;
};

/// Whether the matrices of input `matrices`, read as int8, are known to have no zero points but 0. zeros: the input
/// with the zero points.
bool subtracts_nothing(const CompileInput& in, int matrices, int zeros);

/// The type of ByteRowKernels::widen.
using WidenFunction = decltype(ByteRowKernels::widen);

/// The rows of a matrix of [..., rows, depth] bytes less their zero points.
class ByteRows final : public RowSource<int16_t> {
 public:
  ByteRows(const Bytes& a, WidenFunction widen, const ParameterIndex& zero, int64_t matrix, int64_t rows, int64_t depth)
      : a_(a), widen_(widen), zero_(zero), matrix_(matrix), rows_(rows), depth_(depth) {}
  void rows(const RowBlock& block, const int16_t** pointers, std::byte* scratch) const override;

  /// Returns the scratch bytes that rows() needs for each row.
  static size_t scratch_bytes(int64_t depth);

 private:
  const Bytes& a_;
  WidenFunction widen_;
  ParameterIndex zero_;
  int64_t matrix_, rows_, depth_;
};

}  // namespace linnet

#pragma once

#include "gemm/rows.h"
#include "kernels/byte_rows.h"
#include "linnet/op.h"
#include "quantization/parameter.h"

namespace linnet {

/// An 8-bit tensor and its zero points, of which the differences are multiplied. int8 is read as uint8 with the highest
/// bit flipped, which keeps differences.
struct Bytes {
  /// zeros: of the same dtype; omitted: 0.
  Bytes(const Tensor& tensor, const Tensor& zero_points);
  /// Those of uint8.
  Bytes(const uint8_t* first, const uint8_t* zero_points) : values(first), zeros(zero_points), flip(0) {}

  int32_t zero(int64_t i) const { return zeros[i] ^ flip; }
  /// to[i * pitch] = the difference of values[first + i] and zero, for i < n
  void scatter(int64_t first, int64_t n, int32_t zero, int16_t* to, int64_t pitch) const;

  const uint8_t *values, *zeros;
  int32_t flip;
};

/// Whether the matrices of an input, read as int8, are known to have no zero points but 0; those are another input.
bool subtracts_nothing(const CompileInput& in, int matrices, int zeros);

/// ByteRowKernels::widen.
using WidenFunction = decltype(ByteRowKernels::widen);

/// The rows of a matrix of [..., rows, depth] bytes less their zero points.
class ByteRows final : public RowSource<int16_t> {
 public:
  ByteRows(const Bytes& a, WidenFunction widen, const ParameterIndex& zero, int64_t matrix, int64_t rows, int64_t depth)
      : a_(a), widen_(widen), zero_(zero), matrix_(matrix), rows_(rows), depth_(depth) {}
  void rows(const RowBlock& block, const int16_t** pointers, std::byte* scratch) const override;

  /// Scratch that rows() needs for each row.
  static size_t scratch_bytes(int64_t depth);

 private:
  const Bytes& a_;
  WidenFunction widen_;
  ParameterIndex zero_;
  int64_t matrix_, rows_, depth_;
};

}  // namespace linnet

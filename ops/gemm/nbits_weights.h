#pragma once

#include "kernels/nbits.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// A matrix B[k, n] of codes of few bits, as a node receives it. Each column is divided into blocks, and each block has
/// a scale.
/// codes: uint8; the blocks of each column, `block_size` codes for each block, the first one in the lowest bits.
/// scales: float32, one for each column and block.
/// zeros: like scales, or uint8: packed like codes, each column in whole bytes.
/// order: int32; for each of the k rows, the block whose scale and zero point it uses.
struct NBitsMatrix {
  int64_t k = 0, n = 0;
  int bits = 4;
  int64_t block_size = 32;

  int64_t blocks() const;
  int64_t code_bytes() const;  ///< bytes of a column's codes
  int64_t zero_bytes() const;  ///< bytes of a column's zero points, where these are bytes
};

/// The parts of a matrix; zeros and order may be empty tensors.
struct NBitsParts {
  Tensor codes, scales, zeros, order;
};

/// Checks that the parts have as many elements as the matrix needs, and checks a constant order. Throws Error(kShape,
/// kModel) that names the input.
void check_nbits_parts(const NBitsMatrix& matrix, const Fact& codes, const Fact& scales, const Fact& zeros,
                       const Fact& order);
/// If a float32 scale is not finite, throws Error(kModel).
void check_nbits_scales(const Tensor& scales);
/// If an element of the order is not a block, throws Error(kModel).
void check_nbits_order(const NBitsMatrix& matrix, const Tensor& order);

/// The rows of B that the blocks of a packed form hold: all in order, or by blocks where an order is given.
class NBitsRows {
 public:
  NBitsRows(const NBitsMatrix& matrix, const Tensor& order);

  int block() const { return block_; }
  int64_t blocks() const { return int64_t(groups_.size()); }
  /// Returns the block of the matrix whose scale a packed block uses.
  int64_t group(int64_t block) const { return groups_[size_t(block)]; }
  /// Whether rows are in order.
  bool in_order() const { return rows_.empty(); }
  /// Returns the row of the matrix at row i of the packed form, or -1 for padding.
  int64_t row(int64_t i) const { return in_order() ? (i < k_ ? i : -1) : rows_[size_t(i)]; }

 private:
  int64_t k_;
  int block_;
  CountedVector<int64_t> groups_;
  CountedVector<int64_t> rows_;
};

/// Whether float16 holds all scales exactly.
bool are_halves(const Tensor& scales);
/// Returns the bytes of the packed form. Throws Error(kLimit) on overflow.
int64_t packed_bytes(const NBitsMatrix& matrix, const NBitsForm& form);
/// Packs all panels. If a scale is not finite, throws Error(kModel).
void pack_nbits(const NBitsMatrix& matrix, const NBitsParts& parts, const NBitsRows& rows, const NBitsForm& form,
                Executor& executor, std::byte* packed);

}  // namespace linnet

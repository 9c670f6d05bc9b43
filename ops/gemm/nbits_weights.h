#pragma once

#include "kernels/nbits.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// A matrix B[k, n] of codes of few bits in blocks of a column, each with a scale, as a node is given it.
/// codes: uint8, for each column its blocks, for each block `block_size` codes, the first in the lowest bits.
/// scales: float32 for each column and block. zeros: the same, or uint8: packed like codes, each column in whole bytes.
/// order: the block, by scale and zero point, of each of the k rows; int32.
struct NBitsMatrix {
  int64_t k = 0, n = 0;
  int bits = 4;
  int64_t block_size = 32;

  int64_t blocks() const;
  int64_t code_bytes() const;  ///< of a column
  int64_t zero_bytes() const;  ///< of a column, where zero points are bytes
};

/// The parts of a matrix; zeros and order may be empty tensors.
struct NBitsParts {
  Tensor codes, scales, zeros, order;
};

/// Checks that the parts have as many elements as the matrix has, and a constant order. Throws Error(kShape, kModel)
/// naming the input.
void check_nbits_parts(const NBitsMatrix& matrix, const Fact& codes, const Fact& scales, const Fact& zeros,
                       const Fact& order);
/// Checks that float32 scales are finite; throws Error(kModel).
void check_nbits_scales(const Tensor& scales);
/// Checks that it names blocks; throws Error(kModel).
void check_nbits_order(const NBitsMatrix& matrix, const Tensor& order);

/// Which rows of B the blocks of a packed form hold: all in order, or by blocks where an order is given.
class NBitsRows {
 public:
  NBitsRows(const NBitsMatrix& matrix, const Tensor& order);

  int block() const { return block_; }
  int64_t blocks() const { return int64_t(groups_.size()); }
  /// The block of the matrix whose scale a packed block has.
  int64_t group(int64_t block) const { return groups_[size_t(block)]; }
  /// Where rows are in order.
  bool in_order() const { return rows_.empty(); }
  /// Row i of the packed form; -1: none.
  int64_t row(int64_t i) const { return in_order() ? (i < k_ ? i : -1) : rows_[size_t(i)]; }

 private:
  int64_t k_;
  int block_;
  CountedVector<int64_t> groups_;
  CountedVector<int64_t> rows_;
};

/// Whether float16 holds all of them exactly.
bool are_halves(const Tensor& scales);
/// Bytes of the packed form. Throws Error(kLimit) on overflow.
int64_t packed_bytes(const NBitsMatrix& matrix, const NBitsForm& form);
/// Packs all panels. Throws Error(kModel) for scales that are not finite.
void pack_nbits(const NBitsMatrix& matrix, const NBitsParts& parts, const NBitsRows& rows, const NBitsForm& form,
                Executor& executor, std::byte* packed);

}  // namespace linnet

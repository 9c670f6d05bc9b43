#pragma once

#include "gemm/nbits_weights.h"
#include "kernels/kernels_for.h"
#include "kernels/nbits.h"
#include "partition/parts.h"

namespace linnet {

/// Rows of A in the form that tiles read: float, or int8 with a scale for each row and block.
template <class A>
struct NBitsStrip {
  A* values = nullptr;
  float* scales = nullptr;
  int32_t* sums = nullptr;
};

/// The kernels for rows of one type.
template <class A>
class NBitsKernels {
 public:
  explicit NBitsKernels(Isa isa)
      : floats_(kernels_for<NBitsFloatKernels>(isa)), bytes_(kernels_for<NBitsByteKernels>(isa)) {}

  int lanes() const { return floats_.lanes; }
  bool half_scales() const { return floats_.half_scales; }
  int rows(const NBitsForm& form) const;  ///< rows of the highest tile
  /// Where panels are unpacked once for so many rows, returns the rows of the highest tile that multiplies them, else
  /// 0.
  int unpacked_rows(const NBitsForm& form, int64_t rows) const;
  const NBitsFloatKernels& floats() const { return floats_; }
  void multiply(const NBitsTile<A>& tile) const;
  /// Writes n values of a row to row i of a strip of `rows` rows.
  void put(const NBitsForm& form, const float* a, int64_t n, int64_t i, int64_t rows, const NBitsStrip<A>& strip) const;

 private:
  const NBitsFloatKernels& floats_;
  const NBitsByteKernels& bytes_;
};

/// Some rows of A in scratch memory, divided into strips of nearly equal heights.
template <class A>
class NBitsStrips {
 public:
  NBitsStrips(const NBitsForm& form, int64_t rows, int highest, std::byte* scratch);

  int64_t count() const { return count_; }
  int64_t rows() const { return rows_; }
  Span rows(int64_t strip) const { return Span{0, rows_}.part(count_, strip); }
  NBitsStrip<A> operator[](int64_t strip) const;

  /// Returns the memory for so many rows. Throws Error(kLimit) on overflow.
  static size_t scratch_bytes(const NBitsForm& form, int64_t rows);

 private:
  NBitsForm form_;
  int64_t rows_, count_;
  NBitsStrip<A> first_;
};

}  // namespace linnet

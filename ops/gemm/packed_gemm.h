#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm.h"
#include "linnet/op.h"
#include "linnet/options.h"

namespace linnet {

/// A matrix (or the weights of a convolution, one matrix per tap) of float32 with any strides, counted in floats.
struct GemmWeights {
  const float* data = nullptr;
  int64_t taps = 1;
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t tap_stride = 0;
  int64_t depth_stride = 0;
  int64_t column_stride = 0;
  float scale = 1;  ///< every value is multiplied by it
};

/// Floats of the packed form [panel][tap][depth][panel_columns]; throws Error(kLimit) on overflow.
int64_t packed_floats(const GemmWeights& weights, int panel_columns);
/// Floats of one panel of it.
int64_t panel_floats(const GemmWeights& weights, int panel_columns);
/// Packs the columns of one panel, in [0, ceil(columns / panel_columns)), to `to`.
void pack_panel(const GemmWeights& weights, int panel_columns, int64_t panel, float* to);
/// Packs all panels. The executor may be null.
void pack_weights(const GemmWeights& weights, int panel_columns, float* packed, Executor* executor = nullptr);

/// A part of A: rows [row, row + rows) of taps [tap, tap + taps), and of each its values [k, k + depth).
struct RowBlock {
  int64_t row = 0;
  int rows = 0;
  int64_t tap = 0;
  int64_t taps = 1;
  int64_t k = 0;
  int64_t depth = 0;
};

/// Where a product's rows of A come from.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Writes the address of the block's values for row i and tap t to pointers[t * rows + i]. The values may be
  /// produced in `scratch`, memory of the calling worker of as many bytes as the plan was made with, valid until
  /// the next call.
  virtual void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const = 0;
  /// The address of rows that are all zeros, padding: taps with nothing else at either end of a block are left out.
  virtual const float* zeros() const { return nullptr; }
};

/// The rows of a matrix: element (i, k) at data[i * row_stride + k * depth_stride].
class MatrixRows final : public RowSource {
 public:
  MatrixRows(const float* data, int64_t row_stride, int64_t depth_stride = 1)
      : data_(data), row_stride_(row_stride), depth_stride_(depth_stride) {}
  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override;

  /// Bytes of scratch that rows() needs for such a matrix: a copy is made where values of a row are not contiguous or
  /// rows lie at a distance that maps them to the same cache sets.
  static size_t scratch_bytes(const GemmKernels& kernels, int64_t depth, int64_t row_stride, int64_t depth_stride = 1);

 private:
  const float* data_;
  int64_t row_stride_;
  int64_t depth_stride_;
};

/// The operands of one product y[m, n] = epilogue(A * B).
struct GemmOperands {
  const RowSource* a = nullptr;
  const float* b = nullptr;  ///< packed by pack_weights
  float* y = nullptr;
  int64_t y_pitch = 0;
  Epilogue epilogue{};
};

/// How a product of given sizes is computed: tiles, blocks over the sum, chunks of parallel work. Made in compile().
class GemmPlan {
 public:
  struct Sizes {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t taps = 1;
    int64_t depth = 0;
    /// That share the chunks: products with few rows are divided for them. Results do not depend on it.
    int workers = 1;
    /// Bytes of scratch for the RowSource.
    size_t source_scratch_bytes = 0;
    /// Rows are computed, not only addressed: few parts of the columns ask for them anew.
    bool costly_rows = false;
  };

  GemmPlan() = default;
  GemmPlan(const GemmKernels& kernels, const Sizes& sizes);

  /// Independent pieces of work.
  int64_t chunks() const { return row_blocks_ * panel_blocks_; }
  /// Computes one piece. scratch: scratch_bytes(), aligned to 64.
  void run_chunk(const GemmOperands& operands, int64_t chunk, std::byte* scratch) const;
  /// Computes all, in parallel; scratch_offset: where in the context's scratch this plan's scratch_bytes() lie.
  void run(const GemmOperands& operands, KernelContext& context, size_t scratch_offset = 0) const;
  /// Scratch that each worker needs.
  size_t scratch_bytes() const { return pointer_bytes_ + sizes_.source_scratch_bytes; }

 private:
  void choose_depth_blocks();
  void choose_chunks();
  void divide_costly_chunks(int64_t wanted);
  /// A part of a chunk, and what is multiplied after it.
  struct Part {
    int64_t tile, tile_end;    // of rows
    int64_t panel, panel_end;  // of columns
    int64_t block;             // of the sum
    const float* next;         // of B; may be null
  };
  const float* block_of(const GemmOperands& operands, int64_t panel, int64_t block) const;
  void run_tile(const GemmOperands& operands, const Part& part, int64_t tile, std::byte* scratch) const;

  GemmKernels kernels_{};
  Sizes sizes_{};
  int64_t tiles_ = 0;
  int64_t row_blocks_ = 0;
  int64_t panels_ = 0;
  int64_t panel_blocks_ = 1;
  int64_t panel_group_ = 1;
  int64_t depth_blocks_ = 1;
  int64_t block_taps_ = 1;
  int64_t block_depth_ = 0;
  size_t pointer_bytes_ = 0;
};

}  // namespace linnet

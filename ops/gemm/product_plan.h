#pragma once

#include <cstddef>
#include <span>

#include "gemm/blocks.h"
#include "gemm/rows.h"
#include "kernels/requantize.h"
#include "linnet/op.h"

namespace linnet {

/// Receives y in parts, strip by strip of some panels, while they are in the first-level cache.
template <class Y>
class StripStore {
 public:
  virtual ~StripStore() = default;
  /// Receives the values of these rows and columns, row by row without gaps. Several threads call it at the same time.
  virtual void store(const Span& rows, const Span& columns, const Y* y) const = 0;
  /// Sets `to` to what the kernels do with these rows and columns where they store bytes, and returns true; store() is
  /// then not called for them. Returns false where store() must be called.
  virtual bool to_bytes(const Span& /*rows*/, const Span& /*columns*/, ByteBlock& /*to*/) const { return false; }
};

/// The operands of one product y[m, n] = epilogue(A * B). The residual of float32 products may be in the memory of y,
/// with each value where it is added.
template <class Type>
struct GemmOperands {
  const RowSource<typename Type::A>* a = nullptr;
  const typename Type::B* b = nullptr;                  ///< packed for the plan's panels()
  const StripStore<typename Type::Y>* store = nullptr;  ///< for integers: receives all of y, which may then be null
  typename Type::Y* y = nullptr;
  int64_t y_pitch = 0;
  int64_t y_row = 0, y_column = 0;  ///< of the value that y points to
  BasicEpilogue<typename Type::Y> epilogue{};
  /// What the worker reads next. The last strips prefetch it.
  std::span<const std::byte> next_a, next_b;
};

/// How a product of given sizes and types is computed. Plans are made in compile().
template <class Type>
class GemmPlan {
 public:
  GemmPlan() = default;
  GemmPlan(const GemmKernels<Type>& kernels, const GemmSizes& sizes, const Machine& machine = this_machine());

  const GemmBlocks& blocks() const { return blocks_; }
  const GemmPanels& panels() const { return blocks_.panels(); }
  /// The number of independent pieces of work.
  int64_t chunks() const { return blocks_.chunks(); }
  /// Computes one piece. scratch: scratch_bytes() bytes, aligned to 64.
  void run_chunk(const GemmOperands<Type>& operands, int64_t chunk, std::byte* scratch) const;
  /// Computes all pieces in parallel. scratch_offset: the offset in the context's scratch of this plan's
  /// scratch_bytes().
  void run(const GemmOperands<Type>& operands, KernelContext& context, size_t scratch_offset = 0) const;
  /// The scratch bytes that each worker needs.
  size_t scratch_bytes() const { return scratch_bytes_; }
  /// Describes the tiles, such as "12x32".
  std::string describe() const { return blocks_.describe(); }

 private:
  using A = typename Type::A;

  /// Whether the kernels can store bytes for panels [s.panel, s.panel_end).
  bool stores_bytes(const GemmStrip<Type>& s) const;
  /// Computes rows [rows.begin, rows.end) of block `block` of the sum. s: what all strips of the block share.
  void run_strip(const GemmOperands<Type>& operands, const GemmBlocks::Block& block, const Span& rows,
                 GemmStrip<Type>& s, std::byte* scratch) const;

  GemmKernels<Type> kernels_{};
  GemmBlocks blocks_;
  size_t pointer_bytes_ = 0, strip_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace linnet

#include "gemm/plan.h"

#include <algorithm>

#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Leaves out the taps at both ends that are all zeros; `pointers` then begins at the first that is not.
template <class A>
void skip_zeros(const A* zeros, RowBlock& block, const A**& pointers) {
  const auto all_zeros = [&](int64_t tap) {
    const A** first = pointers + tap * block.rows;
    return std::all_of(first, first + block.rows, [&](const A* row) { return row == zeros; });
  };
  while (block.taps > 0 && all_zeros(block.taps - 1)) --block.taps;
  while (block.taps > 0 && all_zeros(0)) {
    ++block.tap;
    --block.taps;
    pointers += block.rows;
  }
}

}  // namespace

template <class Type>
GemmPlan<Type>::GemmPlan(const GemmKernels<Type>& kernels, const GemmSizes& sizes)
    : kernels_(kernels), blocks_(kernels, sizes) {
  const int64_t rows = blocks_.strip_rows();
  pointer_bytes_ = aligned(dtype_bytes(DType::kInt64, checked_mul(blocks_.block_taps(), rows)));
  scratch_bytes_ =
      pointer_bytes_ + aligned(dtype_bytes(DType::kUint8, checked_mul(int64_t(sizes.row_scratch_bytes), rows)));
}

template <class Type>
void GemmPlan<Type>::run_strip(const GemmOperands<Type>& operands, int64_t strip, int64_t block, GemmStrip<Type> s,
                               std::byte* scratch) const {
  const GemmBlocks::Block part = blocks_.block(block);
  const int64_t row = blocks_.strip_begin(strip);
  RowBlock rows{row, int(blocks_.strip_begin(strip + 1) - row), part.tap, part.taps, part.k, part.depth};
  auto pointers = reinterpret_cast<const A**>(scratch);
  operands.a->rows(rows, pointers, scratch + pointer_bytes_);
  if (operands.a->zeros()) skip_zeros(operands.a->zeros(), rows, pointers);
  const bool first = block == 0, last = block + 1 == blocks_.blocks();
  if (rows.taps == 0 && !first && !last) return;

  const int64_t column = panels().first_column(s.panel);
  s.rows = rows.rows;
  s.taps = rows.taps;
  s.depth = rows.depth;
  s.a = pointers;
  s.b_row = blocks_.b_row(rows.tap, rows.k);
  s.y = operands.y + row * operands.y_pitch + column;
  s.accumulate = !first;
  if (last) s.epilogue = operands.epilogue.at(row, column);
  kernels_.strip(s);
}

template <class Type>
void GemmPlan<Type>::run_chunk(const GemmOperands<Type>& operands, int64_t chunk, std::byte* scratch) const {
  const Span strips = blocks_.strips_of(chunk), all = blocks_.panels_of(chunk);
  const int64_t groups = blocks_.groups(all), blocks = blocks_.blocks();
  GemmStrip<Type> s;
  s.panels = &panels();
  s.b = operands.b;
  s.b_rows = blocks_.b_rows();
  s.y_pitch = operands.y_pitch;
  for (int64_t group = 0; group < groups; ++group) {
    const Span panels = all.part(groups, group);
    s.panel = panels.begin;
    s.panel_end = panels.end;
    for (int64_t block = 0; block < blocks; ++block) {
      const bool more = block + 1 < blocks;
      s.ahead_panel = more ? panels.begin : group + 1 < groups ? panels.end : -1;
      s.ahead_row = more ? blocks_.b_row(blocks_.block(block + 1).tap, blocks_.block(block + 1).k) : 0;
      for (int64_t strip = strips.begin; strip < strips.end; ++strip) {
        s.ahead_part = strip - strips.begin;
        run_strip(operands, strip, block, s, scratch);
      }
    }
  }
}

template <class Type>
void GemmPlan<Type>::run(const GemmOperands<Type>& operands, KernelContext& context, size_t scratch_offset) const {
  context.executor().parallel_for(chunks(), [&](int64_t chunk, int worker) {
    run_chunk(operands, chunk, context.scratch(worker) + scratch_offset);
  });
}

template class GemmPlan<GemmF32>;
template class GemmPlan<GemmF64>;

}  // namespace linnet

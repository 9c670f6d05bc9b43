#include "gemm/product_plan.h"

#include <algorithm>

#include "partition/checkpoints.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Skips the taps at both ends that are all zeros. `pointers` then begins at the first remaining tap.
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

/// Returns part `part` of the bytes of both. It ends where either of them does.
std::span<const std::byte> part_of(std::span<const std::byte> a, std::span<const std::byte> b, int64_t part,
                                   int64_t parts) {
  const auto bytes = int64_t(a.size() + b.size());
  const Span range{part_begin(bytes, parts, part), part_begin(bytes, parts, part + 1)};
  const auto begin = size_t(range.begin), size = size_t(range.size());
  if (begin < a.size()) return a.subspan(begin, std::min(size, a.size() - begin));
  return b.subspan(begin - a.size(), size);
}

}  // namespace

template <class Type>
GemmPlan<Type>::GemmPlan(const GemmKernels<Type>& kernels, const GemmSizes& sizes, const Machine& machine)
    : kernels_(kernels), blocks_(kernels, sizes, machine) {
  const int64_t rows = blocks_.strip_rows();
  pointer_bytes_ = aligned(dtype_bytes(DType::kInt64, checked_mul(blocks_.block_taps(), rows)));
  strip_offset_ =
      pointer_bytes_ + aligned(dtype_bytes(DType::kUint8, checked_mul(int64_t(sizes.row_scratch_bytes), rows)));
  scratch_bytes_ = strip_offset_;
  if (kernels.exact) scratch_bytes_ += aligned(dtype_bytes(DType::kInt32, blocks_.most_strip_values()));
}

template <class Type>
bool GemmPlan<Type>::stores_bytes(const GemmStrip<Type>& s) const {
  const GemmPanels::Run run = panels().run_from(s.panel);
  return kernels_.stores_bytes && run.width == kWidestPanel && run.count >= s.panel_end - s.panel &&
         panels().first_column(s.panel_end) <= panels().columns;
}

template <class Type>
void GemmPlan<Type>::run_strip(const GemmOperands<Type>& operands, const GemmBlocks::Block& block, const Span& strip,
                               GemmStrip<Type>& s, std::byte* scratch) const {
  RowBlock rows{strip.begin, int(strip.size()), block.tap, block.taps, block.k, block.depth};
  auto pointers = reinterpret_cast<const A**>(scratch);
  operands.a->rows(rows, pointers, scratch + pointer_bytes_);
  if (operands.a->zeros()) skip_zeros(operands.a->zeros(), rows, pointers);
  if (rows.taps == 0 && !block.first && !block.last) return;

  const Span columns{panels().first_column(s.panel), panels().end_column(s.panel_end)};
  s.rows = rows.rows;
  s.taps = rows.taps;
  s.a = pointers;
  s.b_row = blocks_.b_row(rows.tap, rows.k);
  if (operands.store) {
    s.y = reinterpret_cast<typename Type::Y*>(scratch + strip_offset_);
    s.y_pitch = columns.size();
  } else {
    s.y = operands.y + (strip.begin - operands.y_row) * operands.y_pitch + columns.begin - operands.y_column;
  }
  s.epilogue = operands.epilogue.of_block(block.first, block.last).at(strip.begin, columns.begin);
  ByteBlock bytes;
  if (operands.store && stores_bytes(s) && operands.store->to_bytes(strip, columns, bytes)) s.bytes = &bytes;
  kernels_.strip(s);
  if (operands.store && !s.bytes) operands.store->store(strip, columns, s.y);
  s.bytes = nullptr;
}

template <class Type>
void GemmPlan<Type>::run_chunk(const GemmOperands<Type>& operands, int64_t chunk, std::byte* scratch) const {
  const Span strips = blocks_.strips_of(chunk), all = blocks_.panels_of(chunk);
  const int64_t groups = blocks_.groups(all), blocks = blocks_.blocks();
  Checkpoints checkpoints;
  // The next chunk of the only worker begins with the panels after these.
  const bool more_panels = blocks_.sizes().workers == 1 && strips.end == blocks_.strips();
  for (int64_t group = 0; group < groups; ++group) {
    const Span panels = all.part(groups, group);
    for (int64_t i = 0; i < blocks; ++i) {
      const GemmBlocks::Block block = blocks_.block(i);
      GemmStrip<Type> s;
      s.depth = block.depth;
      s.panels = &blocks_.panels();
      s.panel = panels.begin;
      s.panel_end = panels.end;
      s.b = operands.b;
      s.b_rows = blocks_.b_rows();
      s.ahead_panel = !block.last ? panels.begin : group + 1 < groups || more_panels ? panels.end : -1;
      s.ahead_row = !block.last ? blocks_.b_row(blocks_.block(i + 1).tap, blocks_.block(i + 1).k) : 0;
      s.ahead_parts = strips.size();
      s.y_pitch = operands.y_pitch;
      s.accumulate = !block.first;
      Span rows{0, blocks_.strip_begin(strips.begin)};
      for (int64_t strip = strips.begin; strip < strips.end; ++strip) {
        rows = {rows.end, blocks_.strip_begin(strip + 1)};
        s.ahead_part = strip - strips.begin;
        const auto next = part_of(operands.next_a, operands.next_b, strip, blocks_.strips());
        s.next = next.data();
        s.next_bytes = int64_t(next.size());
        run_strip(operands, block, rows, s, scratch);
        checkpoints.add(rows.size() * block.taps * block.depth * (panels.size() + 1));
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
template class GemmPlan<GemmS16>;
template class GemmPlan<GemmU8>;
template class GemmPlan<GemmBFloat16Pairs>;
#define LINNET_GEMM_WEIGHTS(name, B) template class GemmPlan<name>;
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS

}  // namespace linnet

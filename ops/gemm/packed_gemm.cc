#include "gemm/packed_gemm.h"

#include <algorithm>
#include <cstring>

#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kBlockDepth = 512;         // of A: a tile of it stays in the first-level cache
constexpr int64_t kLongestSum = 768;         // in one block of taps: the rounding error grows with it
constexpr int64_t kSlabFloats = 96 * 1024;   // of B: what stays in the second-level cache while rows pass
constexpr int64_t kGroupFloats = 32 * 1024;  // of B: while they are multiplied, as many are asked for
constexpr int64_t kFewestGroupPanels = 2;
constexpr int64_t kChunkMultiplies = 1024 * 1024;  // the least work that is worth a chunk of its own
constexpr int64_t kRowBlockTiles = 8;
constexpr int64_t kChunksPerWorker = 4;  // at most, into which products with few rows are divided
constexpr int64_t kCostlyRowColumns = 128, kCostlyRowTiles = 4;  // the fewest in such a chunk

bool needs_copy(int64_t row_stride, int64_t depth_stride) {
  return depth_stride != 1 || (row_stride != 0 && row_stride % 1024 == 0);
}
/// A distance between copied rows that spreads them over the cache sets.
int64_t copy_pitch(int64_t depth) { return (depth + 15) / 16 * 16 + 16; }

/// Asks for all rows at once: one after the other, each would wait for memory anew.
void prefetch_rows(const float* first, int64_t row_stride, int rows, int64_t depth) {
  for (int i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < depth; k += kLineFloats) __builtin_prefetch(first + i * row_stride + k);
  }
}

}  // namespace

void MatrixRows::rows(const RowBlock& block, const float** pointers, std::byte* scratch) const {
  const float* first = data_ + block.row * row_stride_ + block.k * depth_stride_;
  if (!needs_copy(row_stride_, depth_stride_)) {
    for (int i = 0; i < block.rows; ++i) pointers[i] = first + i * row_stride_;
    return;
  }
  const int64_t pitch = copy_pitch(block.depth);
  float* copy = reinterpret_cast<float*>(scratch);
  for (int i = 0; i < block.rows; ++i) pointers[i] = copy + i * pitch;
  if (depth_stride_ == 1) {
    const size_t bytes = size_t(block.depth) * sizeof(float);
    prefetch_rows(first, row_stride_, block.rows, block.depth);
    for (int i = 0; i < block.rows; ++i) std::memcpy(copy + i * pitch, first + i * row_stride_, bytes);
    return;
  }
  for (int64_t k = 0; k < block.depth; ++k) {
    const float* from = first + k * depth_stride_;
    for (int i = 0; i < block.rows; ++i) copy[i * pitch + k] = from[i * row_stride_];
  }
}

size_t MatrixRows::scratch_bytes(const GemmKernels& kernels, int64_t depth, int64_t row_stride, int64_t depth_stride) {
  if (!needs_copy(row_stride, depth_stride)) return 0;
  const int64_t pitch = copy_pitch(std::min(depth, 2 * kBlockDepth));
  return size_t(kernels.tile_rows * pitch) * sizeof(float);
}

GemmPlan::GemmPlan(const GemmKernels& kernels, const Sizes& sizes) : kernels_(kernels), sizes_(sizes) {
  if (sizes.rows == 0 || sizes.columns == 0) return;
  tiles_ = ceil_div(sizes.rows, kernels.tile_rows);
  panels_ = ceil_div(sizes.columns, kernels.panel_columns);
  choose_depth_blocks();
  choose_chunks();
  const int64_t pointers = checked_mul(block_taps_, kernels.tile_rows);
  pointer_bytes_ = aligned(size_t(checked_mul(pointers, int64_t{sizeof(float*)})));
  sizes_.source_scratch_bytes = aligned(sizes.source_scratch_bytes);
}

/// Blocks over the sum: parts of the depth where there is one tap, groups of taps otherwise.
void GemmPlan::choose_depth_blocks() {
  block_taps_ = sizes_.taps;
  block_depth_ = sizes_.depth;
  if (sizes_.taps == 1) {
    depth_blocks_ = std::max<int64_t>(1, ceil_div(sizes_.depth, kBlockDepth));
    block_depth_ = ceil_div(sizes_.depth, depth_blocks_);
    if (block_depth_ > 0) depth_blocks_ = ceil_div(sizes_.depth, block_depth_);
  } else {
    const int64_t most_depth = std::min(kLongestSum, kSlabFloats / kernels_.panel_columns);
    block_taps_ = std::clamp<int64_t>(most_depth / std::max<int64_t>(1, sizes_.depth), 1, sizes_.taps);
    depth_blocks_ = ceil_div(sizes_.taps, block_taps_);
  }
}

void GemmPlan::choose_chunks() {
  row_blocks_ = ceil_div(tiles_, kRowBlockTiles);
  const int64_t slab_floats = sizes_.costly_rows ? 2 * kSlabFloats : kSlabFloats;
  const int64_t panel_floats = std::max<int64_t>(1, block_taps_ * block_depth_ * kernels_.panel_columns);
  panel_blocks_ = ceil_div(panels_, std::max<int64_t>(1, slab_floats / panel_floats));
  const bool rows_once = sizes_.costly_rows || sizes_.source_scratch_bytes > 0 || tiles_ == 1;
  panel_group_ = rows_once ? panels_ : std::max(kFewestGroupPanels, kGroupFloats / panel_floats);
  const double multiplies = double(sizes_.rows) * double(sizes_.columns) * double(sizes_.taps * sizes_.depth);
  const auto wanted =
      int64_t(std::min(multiplies / double(kChunkMultiplies), double(kChunksPerWorker * sizes_.workers)));
  if (row_blocks_ * panel_blocks_ >= wanted) return;
  if (sizes_.costly_rows) return divide_costly_chunks(wanted);
  row_blocks_ = std::min(tiles_, ceil_div(wanted, panel_blocks_));
  panel_blocks_ = std::min(panels_, ceil_div(wanted, row_blocks_));
}

/// Every block of panels computes the rows anew, every block of rows reads B anew: both keep enough to outweigh that.
void GemmPlan::divide_costly_chunks(int64_t wanted) {
  const int64_t most_panel_blocks = sizes_.columns / kCostlyRowColumns, most_row_blocks = tiles_ / kCostlyRowTiles;
  panel_blocks_ = std::max(panel_blocks_, std::min(most_panel_blocks, ceil_div(wanted, row_blocks_)));
  row_blocks_ = std::max(row_blocks_, std::min(most_row_blocks, ceil_div(wanted, panel_blocks_)));
}

namespace {

bool all_zeros(const RowSource& a, const float* const* pointers, int rows) {
  return std::all_of(pointers, pointers + rows, [&](const float* row) { return row == a.zeros(); });
}

/// Leaves out the taps at both ends that are all zeros; `pointers` then begins at the first that is not.
void skip_zeros(const RowSource& a, RowBlock& block, const float**& pointers) {
  while (block.taps > 0 && all_zeros(a, pointers + (block.taps - 1) * block.rows, block.rows)) --block.taps;
  while (block.taps > 0 && all_zeros(a, pointers, block.rows)) {
    ++block.tap;
    --block.taps;
    pointers += block.rows;
  }
}

}  // namespace

const float* GemmPlan::block_of(const GemmOperands& operands, int64_t panel, int64_t block) const {
  const int64_t row = sizes_.taps == 1 ? block * block_depth_ : block * block_taps_ * sizes_.depth;
  return operands.b + (panel * sizes_.taps * sizes_.depth + row) * kernels_.panel_columns;
}

void GemmPlan::run_tile(const GemmOperands& operands, const Part& part, int64_t tile, std::byte* scratch) const {
  RowBlock rows;
  rows.row = part_begin(sizes_.rows, tiles_, tile);
  rows.rows = int(part_begin(sizes_.rows, tiles_, tile + 1) - rows.row);
  rows.tap = sizes_.taps == 1 ? 0 : part.block * block_taps_;
  rows.taps = std::min(block_taps_, sizes_.taps - rows.tap);
  rows.k = sizes_.taps == 1 ? part.block * block_depth_ : 0;
  rows.depth = std::min(block_depth_, sizes_.depth - rows.k);
  auto pointers = reinterpret_cast<const float**>(scratch);
  operands.a->rows(rows, pointers, scratch + pointer_bytes_);
  if (operands.a->zeros()) skip_zeros(*operands.a, rows, pointers);
  const bool first = part.block == 0, last = part.block + 1 == depth_blocks_;
  if (rows.taps == 0 && !first && !last) return;

  const int64_t column = part.panel * kernels_.panel_columns;
  GemmStrip strip;
  strip.rows = rows.rows;
  strip.columns = std::min(part.panel_end * kernels_.panel_columns, sizes_.columns) - column;
  strip.taps = rows.taps;
  strip.depth = rows.depth;
  strip.a = pointers;
  strip.panel_pitch = sizes_.taps * sizes_.depth * kernels_.panel_columns;
  strip.b = operands.b + part.panel * strip.panel_pitch + (rows.tap * sizes_.depth + rows.k) * kernels_.panel_columns;
  strip.ahead = ahead_of(part.next, tile - part.tile, block_taps_ * block_depth_, kernels_.panel_columns);
  strip.y = operands.y + rows.row * operands.y_pitch + column;
  strip.y_pitch = operands.y_pitch;
  strip.accumulate = !first;
  if (last) strip.epilogue = operands.epilogue.at(rows.row, column);
  kernels_.strip(strip);
}

void GemmPlan::run_chunk(const GemmOperands& operands, int64_t chunk, std::byte* scratch) const {
  const int64_t row_block = chunk % row_blocks_, panel_block = chunk / row_blocks_;
  const int64_t panel = part_begin(panels_, panel_blocks_, panel_block);
  const int64_t panel_end = part_begin(panels_, panel_blocks_, panel_block + 1);
  const int64_t groups = ceil_div(panel_end - panel, panel_group_);
  Part part;
  part.tile = part_begin(tiles_, row_blocks_, row_block);
  part.tile_end = part_begin(tiles_, row_blocks_, row_block + 1);
  for (int64_t group = 0; group < groups; ++group) {
    part.panel = panel + part_begin(panel_end - panel, groups, group);
    part.panel_end = panel + part_begin(panel_end - panel, groups, group + 1);
    for (part.block = 0; part.block < depth_blocks_; ++part.block) {
      part.next = part.block + 1 < depth_blocks_ ? block_of(operands, part.panel, part.block + 1)
                  : group + 1 < groups           ? block_of(operands, part.panel_end, 0)
                                                 : nullptr;
      for (int64_t tile = part.tile; tile < part.tile_end; ++tile) run_tile(operands, part, tile, scratch);
    }
  }
}

void GemmPlan::run(const GemmOperands& operands, KernelContext& context, size_t scratch_offset) const {
  context.executor().parallel_for(chunks(), [&](int64_t chunk, int worker) {
    run_chunk(operands, chunk, context.scratch(worker) + scratch_offset);
  });
}

}  // namespace linnet

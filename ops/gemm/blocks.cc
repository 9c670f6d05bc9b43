#include "gemm/blocks.h"

#include <algorithm>

#include "gemm/accuracy.h"

namespace linnet {
namespace {

constexpr int64_t kBlockDepth = 512;         // depth of A: a tile of it stays in the first-level cache
constexpr int64_t kSlabBytes = 384 * 1024;   // part of B that stays in the second-level cache while rows are read
constexpr int64_t kGroupBytes = 128 * 1024;  // part of B that is prefetched while as much is multiplied
constexpr int64_t kFewestGroupPanels = 2;
constexpr int64_t kRegisterGroupBytes = 640 * 1024;  // part of B that tile registers read again for the next strip
constexpr int64_t kStripGroups = 2;                  // factor for the size of a group that only one strip multiplies
constexpr int64_t kGroupSums = 8 * 1024;  // sums of a strip that stay in the first-level cache until they are stored
constexpr int64_t kRowPartRows = 96;
constexpr double kPieceCycles = 4;  // copying a part of a row into a tile register's memory
constexpr int64_t kCostlyRowColumns = 128, kCostlyRowRows = 48;  // fewest in a chunk with costly rows

int64_t steps_of(const TileFamily& tiles, const GemmSizes& sizes) {
  return checked_mul(sizes.taps, ceil_div(sizes.depth, tiles.unit));
}

}  // namespace

int tile_rows_of(const TileFamily& tiles, const GemmSizes& sizes) {
  const GemmPanels panels = choose_panels(tiles, sizes.columns, steps_of(tiles, sizes));
  return int(std::min<int64_t>(sizes.rows, highest_tile_rows(tiles, panels)));
}

GemmBlocks::GemmBlocks(const TileFamily& tiles, const GemmSizes& sizes, const Machine& machine)
    : tiles_(tiles), sizes_(sizes) {
  panels_ = choose_panels(tiles, sizes.columns, steps_of(tiles, sizes), machine);
  if (sizes.rows == 0 || sizes.columns == 0) return;
  choose_sum_blocks();
  const double row_bytes =
      double(panels_.vectors_before(panels_.count())) * panels_.lanes * tiles.unit * tiles.value_bytes;
  in_cache_ = double(steps_of(tiles, sizes)) * row_bytes <= double(machine.l2_bytes);
  strip_rows_ = choose_strip_rows(tiles, panels_, sizes.rows, block_steps(), strip_groups(), machine);
  strips_ = ceil_div(sizes.rows, strip_rows_);
  choose_chunks();
}

double GemmBlocks::cycles(const Machine& machine) const {
  if (strips_ == 0) return 0;
  const double block =
      product_cycles(tiles_, panels_, sizes_.rows, block_steps(), strip_groups(), strip_rows_, machine);
  const int64_t tap_steps = ceil_div(sizes_.depth, tiles_.unit);
  const bool copies = tiles_.slice_steps > 0 && tap_steps % tiles_.slice_steps != 0;
  const double pieces = copies ? double(sizes_.taps) * double(ceil_div(tap_steps, tiles_.slice_steps)) : 0;
  return double(blocks_) * block + kPieceCycles * double(sizes_.rows) * pieces;
}

void GemmBlocks::choose_sum_blocks() {
  block_taps_ = sizes_.taps;
  block_depth_ = sizes_.depth;
  if (tiles_.exact) return;
  if (sizes_.taps == 1) {
    const int64_t blocks = std::max<int64_t>(1, ceil_div(sizes_.depth, kBlockDepth));
    block_depth_ = ceil_div(ceil_div(sizes_.depth, blocks), tiles_.unit) * tiles_.unit;
    blocks_ = block_depth_ > 0 ? ceil_div(sizes_.depth, block_depth_) : 1;
  } else {
    block_taps_ = std::clamp<int64_t>(kLongestSum / std::max<int64_t>(1, sizes_.depth), 1, sizes_.taps);
    blocks_ = ceil_div(sizes_.taps, block_taps_);
  }
}

int64_t GemmBlocks::block_vector_bytes() const {
  const int64_t depth = checked_mul(block_taps_, block_depth_);
  return std::max<int64_t>(1, checked_mul(depth, checked_mul(panels_.lanes, tiles_.value_bytes)));
}

int64_t GemmBlocks::slab_vectors() const {
  return std::max<int64_t>(1, checked_mul(sizes_.costly_rows ? 2 : 1, kSlabBytes) / block_vector_bytes());
}

int64_t GemmBlocks::panels_of_group() const {
  const int64_t panel_vectors = panels_.runs[0].width;
  if (rows_once()) return std::max<int64_t>(1, slab_vectors() / panel_vectors);
  const int64_t group_bytes = tiles_.slice_steps > 0 ? kRegisterGroupBytes : kGroupBytes;
  const int64_t panels = std::max(kFewestGroupPanels, group_bytes / block_vector_bytes() / panel_vectors);
  return strips_ == 1 ? checked_mul(kStripGroups, panels) : panels;
}

void GemmBlocks::choose_chunks() {
  row_parts_ = std::min(strips_, ceil_div(sizes_.rows, kRowPartRows));
  const int64_t count = panels_.count();
  if (row_parts_ > 1 || sizes_.workers > 1)
    panel_parts_ = std::min(count, ceil_div(panels_.vectors_before(count), slab_vectors()));
  // While one group is multiplied, the next one is prefetched.
  group_panels_ = strips_ == 1 && (tiles_.exact || in_cache_ || rows_once()) ? count : panels_of_group();
  if (tiles_.exact) {
    const int64_t fit = kGroupSums / (strip_rows_ * panels_.runs[0].width * panels_.lanes);
    group_panels_ = std::clamp<int64_t>(fit, 1, std::max<int64_t>(1, group_panels_));
  }
  const double multiplies = double(sizes_.rows) * double(sizes_.columns) * double(sizes_.taps) * double(sizes_.depth);
  const auto wanted =
      int64_t(std::min(multiplies / double(kProductChunkMultiplies), double(kProductChunksPerWorker * sizes_.workers)));
  if (sizes_.workers > 1 && row_parts_ == 1 && panel_parts_ > 1) divide_panels_evenly();
  if (chunks() >= wanted || sizes_.workers == 1) return;
  if (sizes_.costly_rows) return divide_costly_chunks(wanted);
  row_parts_ = std::min(strips_, ceil_div(wanted, panel_parts_));
  panel_parts_ = std::min(count, ceil_div(wanted, row_parts_));
}

/// Small numbers of chunks are rounded up to a multiple of the workers, so that no worker waits.
void GemmBlocks::divide_panels_evenly() {
  if (panel_parts_ > kProductChunksPerWorker * sizes_.workers) return;
  panel_parts_ = std::min(panels_.count(), ceil_div(panel_parts_, sizes_.workers) * sizes_.workers);
}

/// Every part of the panels computes the rows again, and every part of the rows reads B again. Both are kept large
/// enough to outweigh that.
void GemmBlocks::divide_costly_chunks(int64_t wanted) {
  const int64_t most_panel_parts = std::min(panels_.count(), sizes_.columns / kCostlyRowColumns);
  const int64_t most_row_parts = std::min(strips_, sizes_.rows / kCostlyRowRows);
  panel_parts_ = std::max(panel_parts_, std::min(most_panel_parts, ceil_div(wanted, row_parts_)));
  row_parts_ = std::max(row_parts_, std::min(most_row_parts, ceil_div(wanted, panel_parts_)));
}

int64_t GemmBlocks::most_strip_values() const {
  const int64_t panels = std::min(group_panels_, ceil_div(panels_.count(), panel_parts_));
  const int64_t columns = checked_mul(panels, kWidestPanel * panels_.lanes);
  return checked_mul(strip_rows_, std::min(sizes_.columns, columns));
}

GemmBlocks::Block GemmBlocks::block(int64_t index) const {
  const bool first = index == 0, last = index + 1 == blocks_;
  if (sizes_.taps == 1) {
    const int64_t k = index * block_depth_;
    return {0, 1, k, std::min(block_depth_, sizes_.depth - k), first, last};
  }
  const int64_t tap = index * block_taps_;
  return {tap, std::min(block_taps_, sizes_.taps - tap), 0, sizes_.depth, first, last};
}

int64_t GemmBlocks::b_row(int64_t tap, int64_t k) const {
  return tap * ceil_div(sizes_.depth, tiles_.unit) + k / tiles_.unit;
}

}  // namespace linnet

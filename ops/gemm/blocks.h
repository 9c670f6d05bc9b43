#pragma once

#include "gemm/panels.h"
#include "linnet/shape.h"
#include "partition/parts.h"

namespace linnet {

/// The sizes of one product y[m, n] = A * B, and the cost of its rows of A.
struct GemmSizes {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t depth = 0;
  /// The number of workers that share the chunks. Products with few rows are divided for them. Results do not depend on
  /// it.
  int workers = 1;
  /// The scratch bytes that the RowSource needs for each row of a strip.
  size_t row_scratch_bytes = 0;
  /// Whether rows are computed, not only addressed. The columns are then divided into few parts, since each part
  /// requests the rows again.
  bool costly_rows = false;
};

/// Returns the most rows of A that a tile of such a product reads at a time.
int tile_rows_of(const TileFamily& tiles, const GemmSizes& sizes);

/// The division of a product, independent of its types: columns into panels, rows into strips, the sum into blocks, and
/// all of it into chunks of parallel work.
class GemmBlocks {
 public:
  GemmBlocks() = default;
  GemmBlocks(const TileFamily& tiles, const GemmSizes& sizes, const Machine& machine = this_machine());

  const GemmSizes& sizes() const { return sizes_; }
  const GemmPanels& panels() const { return panels_; }
  int strip_rows() const { return strip_rows_; }  ///< rows of the highest strip

  /// The number of independent pieces of work. Each one is some strips of some panels.
  int64_t chunks() const { return row_parts_ * panel_parts_; }
  Span strips_of(int64_t chunk) const { return Span{0, strips_}.part(row_parts_, chunk % row_parts_); }
  Span panels_of(int64_t chunk) const { return Span{0, panels_.count()}.part(panel_parts_, chunk / row_parts_); }
  /// Returns the number of groups into which panels are divided. All strips are multiplied by one group before the
  /// next.
  int64_t groups(const Span& panels) const { return ceil_div(panels.size(), group_panels_); }
  /// The largest number of values of y that a strip computes for such a group.
  int64_t most_strip_values() const;
  int64_t strips() const { return strips_; }
  /// Returns the first row of a strip. The next strip begins where it ends.
  int64_t strip_begin(int64_t strip) const { return part_begin(sizes_.rows, strips_, strip); }

  /// The number of blocks of the sum. These are parts of the depth where there is one tap, and groups of taps
  /// otherwise.
  int64_t blocks() const { return blocks_; }
  struct Block {
    int64_t tap, taps, k, depth;
    bool first, last;
  };
  Block block(int64_t index) const;
  int64_t block_taps() const { return block_taps_; }  ///< taps of the largest block
  /// Returns the row of a packed panel that holds value k of a tap, where k is a multiple of the unit. b_rows() is the
  /// number of rows.
  int64_t b_row(int64_t tap, int64_t k) const;
  int64_t b_rows() const { return b_row(sizes_.taps, 0); }

  /// Estimates the time of the product, in cycles of a core.
  double cycles(const Machine& machine = this_machine()) const;

  std::string describe() const { return describe_tiles(tiles_, panels_, strip_rows_); }

 private:
  int64_t block_steps() const { return checked_mul(block_taps_, ceil_div(block_depth_, tiles_.unit)); }
  /// The number of groups of panels for which a strip begins.
  int64_t strip_groups() const { return tiles_.exact ? 1 : ceil_div(panels_.count(), panels_of_group()); }
  /// Returns the bytes of a block of one vector of columns.
  int64_t block_vector_bytes() const;
  /// Returns the number of vectors of columns whose block stays in the second-level cache.
  int64_t slab_vectors() const;
  /// Whether rows should be requested as seldom as possible.
  bool rows_once() const { return sizes_.costly_rows || sizes_.row_scratch_bytes > 0; }
  int64_t panels_of_group() const;
  void choose_sum_blocks();
  void choose_chunks();
  void divide_panels_evenly();
  void divide_costly_chunks(int64_t wanted);

  TileFamily tiles_{};
  GemmSizes sizes_{};
  bool in_cache_ = false;  ///< whether the second-level cache may hold B from one product to the next
  GemmPanels panels_{};
  int strip_rows_ = 1;
  int64_t strips_ = 0;
  int64_t row_parts_ = 0, panel_parts_ = 1, group_panels_ = 1;
  int64_t blocks_ = 1, block_taps_ = 1, block_depth_ = 0;
};

}  // namespace linnet

#pragma once

#include <string>

#include "gemm/machine.h"
#include "kernels/gemm.h"

namespace linnet {

/// The least number of multiplications that is worth a separate chunk of a product.
inline constexpr int64_t kProductChunkMultiplies = 1024 * 1024;
/// The largest number of chunks for each worker into which products with few rows are divided.
inline constexpr int64_t kProductChunksPerWorker = 4;

/// Returns panels of `width` vectors each.
GemmPanels equal_panels(int64_t columns, int width, int lanes);

/// Returns the panels whose tiles take the least time for so many columns and `steps` of the sum (rows of a panel).
/// Panels contain no unused vectors, only unused columns of the last vector.
GemmPanels choose_panels(const TileFamily& tiles, int64_t columns, int64_t steps,
                         const Machine& machine = this_machine());

/// Estimates the time of a tile of `rows` rows and one panel of `width` vectors, in cycles of a core. The estimate was
/// fitted to measurements.
double tile_cycles(const TileFamily& tiles, double rows, int width, int64_t steps, const Machine& machine);

/// Returns the rows of the highest tile of the panels.
int highest_tile_rows(const TileFamily& tiles, const GemmPanels& panels);

/// Returns the rows of the highest tile into which a strip of `rows` is divided for panels of `width` vectors.
int divided_rows(const TileFamily& tiles, int rows, int width);

/// Estimates the time of a product of so many rows in strips of `height` rows, in cycles of a core. groups: parts of
/// the panels. Each strip begins once for each of them.
double product_cycles(const TileFamily& tiles, const GemmPanels& panels, int64_t rows, int64_t steps, int64_t groups,
                      int height, const Machine& machine);

/// Returns the height of strips, at most that of the highest, for which such a product takes the least time.
int choose_strip_rows(const TileFamily& tiles, const GemmPanels& panels, int64_t rows, int64_t steps,
                      int64_t groups = 1, const Machine& machine = this_machine());

/// Describes the tiles of a strip of `rows` rows, such as "8x48+12x32".
std::string describe_tiles(const TileFamily& tiles, const GemmPanels& panels, int rows);

}  // namespace linnet

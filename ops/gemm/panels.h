#pragma once

#include <string>

#include "kernels/gemm.h"

namespace linnet {

/// The least multiplications of a product that are worth a chunk of their own.
inline constexpr int64_t kProductChunkMultiplies = 1024 * 1024;
/// Chunks into which products with few rows are divided, at most, for each worker.
inline constexpr int64_t kProductChunksPerWorker = 4;

/// Panels of `width` vectors each.
GemmPanels equal_panels(int64_t columns, int width, int lanes);

/// The panels whose tiles take the least time for so many columns and `steps` of the sum (rows of a panel): no vector
/// is multiplied for nothing but the part of the last one that has no columns.
GemmPanels choose_panels(const TileFamily& tiles, int64_t columns, int64_t steps);

/// What a tile of `rows` rows and one panel of `width` vectors takes, in cycles of a core that multiplies two vectors
/// and loads two in each: an estimate, fitted to measurements.
double tile_cycles(const TileFamily& tiles, double rows, int width, int64_t steps);

/// Rows of the highest tile into which a strip of `rows` is divided for panels of `width` vectors.
int divided_rows(const TileFamily& tiles, int rows, int width);

/// The rows of a strip, at most those of the highest, for which a product of so many rows takes the least time.
int choose_strip_rows(const TileFamily& tiles, const GemmPanels& panels, int64_t rows, int64_t steps);

/// The tiles of a strip of `rows` rows, "8x48+12x32".
std::string describe_tiles(const TileFamily& tiles, const GemmPanels& panels, int rows);

}  // namespace linnet

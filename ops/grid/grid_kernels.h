#pragma once

#include "grid/grid_points.h"

namespace linnet {

/// GridSample of float32, linear or cubic, for images that GridTable supports.
KernelPtr make_grid_blend(const GridSettings& settings, const CompileInput& in);
/// GridSample of nearest pixels with elements of any width, for images that GridTable supports.
KernelPtr make_grid_pick(const GridSettings& settings, const CompileInput& in);

}  // namespace linnet

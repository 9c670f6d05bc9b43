#include "gemm/panels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linnet/error.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr double kIssue = 1.03;       // factor for the cost of other instructions
constexpr double kShortestStep = 6;   // where too few sums fill the latency of a multiplication
constexpr double kLoadDelay = 0.7;    // where a step waits for loads
constexpr double kTileCycles = 60;    // starting a tile
constexpr double kRowCycles = 2;      // reading a row's address
constexpr double kSumCycles = 1;      // clearing and storing a vector of sums
constexpr double kStripCycles = 250;  // finding the rows of a strip, storing its sums
constexpr int64_t kLineBytes = 64;
constexpr double kMemoryCaches = 2;  // B of more last-level caches is read from memory by every product

// With tile registers: a product of registers, the latency from one product to the next with the same sums, the load of
// a register, and loading and storing a register of sums. Measured on a Xeon with AMX.
constexpr int kRegisterRows = 16;
constexpr double kRegisterProduct = 16, kRegisterLatency = 52, kRegisterLoad = 8, kRegisterSums = 110;
constexpr double kRegisterStrip = 250;  // configuring the registers, in addition to kStripCycles

/// Returns what the lines of B add to one step of a tile where the first-level cache does not hold them.
double line_cycles(const TileFamily& tiles, int width, int64_t steps, const Machine& machine) {
  const int64_t step_bytes = int64_t{width} * tiles.lanes * tiles.unit * tiles.value_bytes;
  if (double(steps) * double(step_bytes) <= double(machine.l1_bytes) * 3 / 4) return 0;
  return machine.speed(tiles.vector_bytes).line_cycles * double(step_bytes / kLineBytes);
}

/// tile_cycles() for tile registers, each of which takes kRegisterRows rows and a vector of columns.
double register_tile_cycles(const TileFamily& tiles, double rows, int width, int64_t steps, const Machine& machine) {
  const double heights = std::ceil(rows / kRegisterRows), slices = double(ceil_div(steps, tiles.slice_steps));
  const double slice =
      std::max({kRegisterProduct * heights * width, kRegisterLatency, kRegisterLoad * (heights + width)}) +
      tiles.slice_steps * line_cycles(tiles, width, steps, machine);
  return slices * slice + kRegisterSums * heights * width;
}

double cycles_per_row(const TileFamily& tiles, int width, int64_t steps, const Machine& machine) {
  const int rows = tiles.tile_rows[width - 1];
  return tile_cycles(tiles, rows, width, steps, machine) / rows;
}

/// Returns the cost of reading the rows of a strip again for every panel, where the first-level cache does not hold
/// them.
double reread_cycles(const TileFamily& tiles, double rows, int64_t panels, int64_t steps, const Machine& machine) {
  const double bytes = rows * double(steps * tiles.unit * tiles.value_bytes);
  if (tiles.slice_steps > 0) return 0;  // blocks of rows are multiplied by all panels
  if (bytes <= double(machine.l1_bytes) * 3 / 4) return 0;
  return bytes / double(kLineBytes) * machine.speed(tiles.vector_bytes).line_cycles * double(panels - 1);
}

/// Returns the number of panels of each width into which the columns are divided so that they take the least time.
/// Three or more panels of a width are tried only for the width that costs the least per vector.
std::vector<int64_t> cut(const TileFamily& tiles, int64_t vectors, int64_t steps, const Machine& machine) {
  int best = 1;
  double cost[kWidestPanel + 1] = {};
  for (int width = 1; width <= kWidestPanel; ++width) {
    if (tiles.tile_rows[width - 1] == 0) continue;
    cost[width] = cycles_per_row(tiles, width, steps, machine);
    if (cost[width] * best < cost[best] * width) best = width;
  }
  const int64_t most_rest = std::min<int64_t>(vectors, 3 * kWidestPanel);
  const int64_t whole = (vectors - most_rest) / best;
  const auto rest = size_t(vectors - whole * best);
  std::vector<double> least(rest + 1, std::numeric_limits<double>::infinity());
  std::vector<int> last(rest + 1, 1);
  least[0] = 0;
  for (size_t v = 1; v <= rest; ++v) {
    for (int width = 1; width <= std::min<int>(kWidestPanel, int(v)); ++width) {
      if (cost[width] == 0 || least[v - size_t(width)] + cost[width] >= least[v]) continue;
      least[v] = least[v - size_t(width)] + cost[width];
      last[v] = width;
    }
  }
  std::vector<int64_t> counts(kWidestPanel + 1);
  counts[size_t(best)] = whole;
  for (size_t v = rest; v > 0; v -= size_t(last[v])) ++counts[size_t(last[v])];
  return counts;
}

}  // namespace

double tile_cycles(const TileFamily& tiles, double rows, int width, int64_t steps, const Machine& machine) {
  if (tiles.slice_steps > 0) return register_tile_cycles(tiles, rows, width, steps, machine);
  const VectorSpeed& speed = machine.speed(tiles.vector_bytes);
  const double sums = rows * width;
  const double addresses = std::max(0.0, rows - tiles.held_rows) / tiles.unroll[width - 1];
  double step = std::max(
      {kIssue * sums / speed.multiplies, kShortestStep, kLoadDelay + (rows + width + addresses) / speed.loads});
  step += line_cycles(tiles, width, steps, machine);
  return double(steps) * step + kTileCycles + kRowCycles * rows + kSumCycles * sums;
}

GemmPanels equal_panels(int64_t columns, int width, int lanes) {
  GemmPanels panels;
  panels.columns = columns;
  panels.lanes = lanes;
  panels.runs[0] = {width, ceil_div(columns, int64_t{width} * lanes)};
  return panels;
}

GemmPanels choose_panels(const TileFamily& tiles, int64_t columns, int64_t steps, const Machine& machine) {
  Machine reading = machine;
  const double bytes = double(steps) * double(columns) * tiles.unit * tiles.value_bytes;
  if (bytes > kMemoryCaches * double(machine.last_cache_bytes)) reading.wide.line_cycles = VectorSpeed().line_cycles;
  GemmPanels panels;
  panels.columns = columns;
  panels.lanes = tiles.lanes;
  const std::vector<int64_t> counts = cut(tiles, ceil_div(columns, tiles.lanes), steps, reading);
  int run = 0;
  for (int width = kWidestPanel; width > 0; --width) {
    if (counts[size_t(width)] > 0) panels.runs[run++] = {width, counts[size_t(width)]};
  }
  return panels;
}

int highest_tile_rows(const TileFamily& tiles, const GemmPanels& panels) {
  int most = 0;
  for (const GemmPanels::Run& run : panels.runs) {
    if (run.count > 0) most = std::max(most, tiles.tile_rows[run.width - 1]);
  }
  return most;
}

int divided_rows(const TileFamily& tiles, int rows, int width) {
  const int64_t parts = ceil_div(rows, tiles.tile_rows[width - 1]);
  return int(ceil_div(rows, parts));
}

double product_cycles(const TileFamily& tiles, const GemmPanels& panels, int64_t rows, int64_t steps, int64_t groups,
                      int height, const Machine& machine) {
  const int64_t strips = ceil_div(rows, height);
  const double strip_rows = double(rows) / double(strips);
  const double begin = kStripCycles + (tiles.slice_steps > 0 ? kRegisterStrip : 0);
  double cycles =
      double(strips) * (begin * double(groups) + reread_cycles(tiles, strip_rows, panels.count(), steps, machine));
  for (const GemmPanels::Run& run : panels.runs) {
    if (run.count == 0) continue;
    const double parts = double(ceil_div(int64_t(strip_rows + 0.999), tiles.tile_rows[run.width - 1]));
    cycles += double(strips * run.count) * parts * tile_cycles(tiles, strip_rows / parts, run.width, steps, machine);
  }
  return cycles;
}

int choose_strip_rows(const TileFamily& tiles, const GemmPanels& panels, int64_t rows, int64_t steps, int64_t groups,
                      const Machine& machine) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int height = 1; height <= tiles.strip_rows; ++height) {
    const double cycles = product_cycles(tiles, panels, rows, steps, groups, height, machine);
    if (cycles < least * 0.999) best = height, least = cycles;
  }
  return best;
}

std::string describe_tiles(const TileFamily& tiles, const GemmPanels& panels, int rows) {
  std::string text;
  for (const GemmPanels::Run& run : panels.runs) {
    if (run.count == 0) continue;
    text += str(text.empty() ? "" : "+", divided_rows(tiles, rows, run.width), "x", run.width * tiles.lanes);
  }
  return text;
}

}  // namespace linnet

#pragma once

// Included by *.simd.cc only: what a strip of a matrix product prefetches for the next one.
#include "kernels/gemm_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// What the tiles of a panel prefetch: `bytes` bytes from `rows` on. Each tile prefetches its share, spread over its
/// steps, so that few requests are in flight at a time. null: nothing.
template <class Type>
struct Ahead {
  const std::byte* rows = nullptr;
  int64_t bytes = 0, step_bytes = kLineBytes, share = 0, pitch = 0;

  /// Divides the bytes into so many shares.
  void divide(int64_t parts, int64_t steps) {
    if (!rows) return;
    share = (bytes / parts + kLineBytes) / kLineBytes * kLineBytes;
    pitch = share < step_bytes * steps ? share / steps + 1 : step_bytes;
  }
  void ask(int64_t part, TileJob<Type>& job) const {
    const bool asks = rows && part * share < bytes;
    job.next = asks ? rows + part * share : reinterpret_cast<const std::byte*>(job.b);
    job.next_pitch = asks ? pitch : 0;
  }
};

/// Returns what the tiles of a panel prefetch, at most step_bytes bytes in each step.
template <class Type>
Ahead<Type> ahead_of(const GemmStrip<Type>& s, int64_t panel, int64_t step_bytes) {
  const GemmPanels& p = *s.panels;
  const int64_t ahead = s.ahead_panel + panel - s.panel;
  if (s.ahead_panel < 0 || ahead >= p.count()) return {};
  const int64_t vector = p.lanes * Type::kUnit, ahead_width = p.run_from(ahead).width;
  const auto* rows = s.b + (p.vectors_before(ahead) * s.b_rows + s.ahead_row * ahead_width) * vector;
  const int64_t row_bytes = ahead_width * vector * int64_t{sizeof(typename Type::B)};
  return {reinterpret_cast<const std::byte*>(rows), s.taps * ceil_div(s.depth, Type::kUnit) * row_bytes, step_bytes};
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS

#pragma once

#include "kernels/gemm.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"

namespace linnet {

/// A matrix B (or the weights of a convolution, one matrix per tap) with any strides, counted in values.
template <class T>
struct GemmWeights {
  const T* data = nullptr;
  int64_t taps = 1;
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t tap_stride = 0;
  int64_t depth_stride = 0;
  int64_t column_stride = 0;
  float scale = 1;  ///< every value is multiplied by it; of 16 bits: 1
  int64_t run = 0;  ///< of integers: values of the depth that lie depth_stride apart, runs lie run_stride apart; 0: all
  int64_t run_stride = 0;
};

/// Rows of a packed panel, each of `unit` values of its columns; throws Error(kLimit) on overflow.
int64_t panel_rows(int64_t taps, int64_t depth, int unit);
/// Values of the packed form [panel][tap][ceil(depth / unit)][column][unit]; throws Error(kLimit) on overflow.
int64_t packed_size(const GemmPanels& panels, int64_t taps, int64_t depth, int unit = 1);
/// Where in the packed form a panel begins.
int64_t panel_begin(const GemmPanels& panels, int64_t panel, int64_t taps, int64_t depth, int unit = 1);

/// Where in the packed form of one tap and unit a column begins, and how far its values lie apart.
struct PackedColumn {
  int64_t begin, pitch;
};
PackedColumn packed_column(const GemmPanels& panels, int64_t column, int64_t depth);

/// Packs the columns of one panel to `to`.
template <class T>
void pack_panel(const GemmWeights<T>& weights, const GemmPanels& panels, int64_t panel, T* to,
                Checkpoints& checkpoints);
/// Packs all panels. The executor may be null.
template <class T>
void pack_weights(const GemmWeights<T>& weights, const GemmPanels& panels, T* packed, Executor* executor = nullptr);

/// The form of weights packed for such panels and `more` that it depends on.
PackedForm packed_form(const std::string& name, const GemmPanels& panels, const std::vector<int64_t>& more = {});

}  // namespace linnet

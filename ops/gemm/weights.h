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
  float scale = 1;  ///< factor of every value; 1 for 16-bit types
  int64_t run = 0;  ///< for integers: values of a run are depth_stride apart, runs are run_stride apart; 0: one run
  int64_t run_stride = 0;
};

/// Returns the number of rows of a packed panel, each of `unit` values of its columns. Throws Error(kLimit) on
/// overflow.
int64_t panel_rows(int64_t taps, int64_t depth, int unit);
/// Returns the number of values in the packed form [panel][tap][ceil(depth / unit)][column][unit]. Throws Error(kLimit)
/// on overflow.
int64_t packed_size(const GemmPanels& panels, int64_t taps, int64_t depth, int unit = 1);
/// Returns the offset of a panel in the packed form.
int64_t panel_begin(const GemmPanels& panels, int64_t panel, int64_t taps, int64_t depth, int unit = 1);

/// The offset of a column in the packed form of one tap and unit, and the distance between its values.
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

/// Returns the form of weights packed for such panels. more: further numbers on which the form depends.
PackedForm packed_form(const std::string& name, const GemmPanels& panels, const std::vector<int64_t>& more = {});

}  // namespace linnet

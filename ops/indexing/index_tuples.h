#pragma once

#include <vector>

#include "indexing/indices.h"
#include "linnet/fact.h"

namespace linnet {

/// How GatherND and ScatterND address slices of a tensor. The last dim of `indices` contains tuples of k indices into
/// the axes [batch_dims, batch_dims + k). The first batch_dims dims of both are shared.
class IndexTuples {
 public:
  IndexTuples(const Shape& data, const Shape& indices, int batch_dims);

  int64_t tuples() const { return tuples_; }
  /// The number of elements in one slice.
  int64_t slice() const { return slice_; }
  /// Writes the offset of the first element of each slice that tuples [begin, begin + n) specify. Throws Error(kShape)
  /// for an index out of range.
  void locate(const Indices& indices, int64_t begin, int64_t n, int64_t* offsets) const;

 private:
  template <class Index>
  bool find(const Index* tuples, int64_t begin, int64_t n, int64_t* offsets) const;
  void check(const Indices& indices) const;

  int64_t tuples_, slice_, tuples_per_batch_, batch_stride_;
  int batch_dims_;
  std::vector<int64_t> dims_, strides_;  ///< The dims and strides of the indexed axes.
};

/// Checks ranks, batch dims and the length of the tuples. Returns the dims of the addressed slices, or nullopt if they
/// are unknown.
std::optional<Dims> infer_index_tuples(const Fact& data, const Fact& indices, int64_t batch_dims);

}  // namespace linnet

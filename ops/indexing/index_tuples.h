#pragma once

#include <vector>

#include "indexing/indices.h"
#include "linnet/fact.h"

namespace linnet {

/// How GatherND and ScatterND address slices of a tensor: the last dim of `indices` holds tuples of k indices into the
/// axes [batch_dims, batch_dims + k); the first batch_dims dims of both run in parallel.
class IndexTuples {
 public:
  IndexTuples(const Shape& data, const Shape& indices, int batch_dims);

  int64_t tuples() const { return tuples_; }
  /// Elements of one slice.
  int64_t slice() const { return slice_; }
  /// Writes the first elements of the slices that tuples [begin, begin + n) name. Throws Error(kShape) for an index out
  /// of range.
  void locate(const Indices& indices, int64_t begin, int64_t n, int64_t* offsets) const;

 private:
  template <class Index>
  bool find(const Index* tuples, int64_t begin, int64_t n, int64_t* offsets) const;
  void check(const Indices& indices) const;

  int64_t tuples_, slice_, tuples_per_batch_, batch_stride_;
  int batch_dims_;
  std::vector<int64_t> dims_, strides_;  ///< of the indexed axes
};

/// Checks ranks, batch dims and the tuple's length; the dims of what the tuples name, nullopt where not known.
std::optional<Dims> infer_index_tuples(const Fact& data, const Fact& indices, int64_t batch_dims);

}  // namespace linnet

#include "indexing/index_tuples.h"

#include "infer/infer.h"
#include "movement/strided_copy.h"
#include "partition/checkpoints.h"

namespace linnet {

IndexTuples::IndexTuples(const Shape& data, const Shape& indices, int batch_dims)
    : tuples_(indices.elements(0, indices.rank() - 1)),
      slice_(1),
      tuples_per_batch_(indices.elements(batch_dims, indices.rank() - 1)),
      batch_stride_(data.elements(batch_dims, data.rank())),
      batch_dims_(batch_dims) {
  const int k = int(indices[indices.rank() - 1]);
  const std::vector<int64_t> strides = row_major_strides(data);
  for (int d = batch_dims; d < batch_dims + k; ++d) {
    dims_.push_back(data[d]);
    strides_.push_back(strides[size_t(d)]);
  }
  slice_ = data.elements(batch_dims + k, data.rank());
}

void IndexTuples::check(const Indices& indices) const {
  const auto k = int64_t(dims_.size());
  Checkpoints().in_parts(tuples_ * k, 8, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) check_index(indices[i], dims_[size_t(i % k)], batch_dims_ + int(i % k));
  });
}

template <class Index>
bool IndexTuples::find(const Index* tuples, int64_t begin, int64_t n, int64_t* offsets) const {
  const size_t k = dims_.size();
  const Index* tuple = tuples + begin * int64_t(k);
  for (int64_t t = 0; t < n; ++t, tuple += k) {
    int64_t offset = batch_dims_ == 0 ? 0 : (begin + t) / tuples_per_batch_ * batch_stride_;
    for (size_t j = 0; j < k; ++j) {
      int64_t index = tuple[j];
      if (!wrap_index(index, dims_[j])) return false;
      offset += index * strides_[j];
    }
    offsets[t] = offset;
  }
  return true;
}

void IndexTuples::locate(const Indices& indices, int64_t begin, int64_t n, int64_t* offsets) const {
  if (!with_elements(indices, [&](const auto* tuples) { return find(tuples, begin, n, offsets); })) check(indices);
}

std::optional<Dims> infer_index_tuples(const Fact& data, const Fact& indices, int64_t batch_dims) {
  require_dtype_in(indices, kIndexTypes, "indices");
  require_rank_at_least(data, 1, "data");
  require_rank_at_least(indices, 1, "indices");
  if (!data.has_rank() || !indices.has_rank()) return std::nullopt;
  const int rank = std::min(data.rank(), indices.rank());
  if (batch_dims < 0 || batch_dims >= rank) {
    throw Error(ErrorKind::kShape, str("batch_dims must be in [0,", rank, "), got ", batch_dims));
  }
  const int b = int(batch_dims);
  Dims dims;
  for (int d = 0; d < b; ++d) dims.push_back(merge_dim(data.dim(d), indices.dim(d), str("batch dim ", d)));
  const Dim& k = indices.dim(indices.rank() - 1);
  if (!k.known()) return std::nullopt;
  if (k.value() < 1 || k.value() > data.rank() - b) {
    throw Error(ErrorKind::kShape, str("the last dim of indices must be in [1,", data.rank() - b, "], got ", k));
  }
  dims.insert(dims.end(), indices.dims->begin() + b, indices.dims->end() - 1);
  dims.insert(dims.end(), data.dims->begin() + b + k.value(), data.dims->end());
  return dims;
}

}  // namespace linnet

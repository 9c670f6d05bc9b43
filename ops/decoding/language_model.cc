#include "decoding/language_model.h"

#include <algorithm>
#include <cstring>

namespace linnet {

Tensor gather_rows(const Tensor& from, int axis, std::span<const int64_t> rows, int64_t count,
                   const std::string& what) {
  if (from.rank() <= axis || from.dim(axis) != count) {
    throw Error(ErrorKind::kShape, str(what, " must have ", count, " rows in dim ", axis, ", got ", describe(from)));
  }
  Shape shape = from.shape();
  shape[axis] = int64_t(rows.size());
  Tensor result(from.dtype(), shape);
  const size_t bytes = dtype_bytes(from.dtype(), shape.elements(axis + 1, shape.rank()));
  const auto* source = static_cast<const std::byte*>(from.raw());
  auto* to = static_cast<std::byte*>(result.raw());
  Checkpoints checkpoints;
  for (int64_t outer = 0; outer < shape.elements(0, axis); ++outer, source += size_t(count) * bytes) {
    for (const int64_t row : rows) {
      if (bytes > 0) std::memcpy(to, source + size_t(row) * bytes, bytes);
      to += bytes;
      checkpoints.add(int64_t(bytes / 8));
    }
  }
  return result;
}

CountedVector<int64_t> prompts_of(const Sequences& sequences) {
  CountedVector<int64_t> prompts(size_t(sequences.rows()));
  for (int64_t i = 0; i < sequences.rows(); ++i) prompts[size_t(i)] = i / sequences.beams();
  return prompts;
}

Tensor last_tokens(const Sequences& sequences) {
  Tensor ids(DType::kInt32, {sequences.rows(), 1});
  for (int64_t i = 0; i < sequences.rows(); ++i) ids.data<int32_t>()[i] = sequences.row(i).back();
  return ids;
}

Tensor all_tokens(const Sequences& sequences) {
  Tensor ids(DType::kInt32, {sequences.rows(), sequences.length()});
  std::ranges::copy(sequences.all(), ids.data<int32_t>());
  return ids;
}

}  // namespace linnet

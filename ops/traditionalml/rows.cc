#include "traditionalml/rows.h"

#include "elements/dispatch.h"
#include "infer/infer.h"

namespace linnet {

void require_rows(const Fact& x) {
  require_dtype_in(x, kMlNumbers, "X");
  if (x.has_rank() && x.rank() != 1 && x.rank() != 2) {
    throw Error(ErrorKind::kShape, str("X must have rank 1 or 2, got ", x));
  }
}

Rows rows_of(const Shape& x) {
  if (x.rank() == 1) return {1, x[0]};
  if (x.rank() == 2) return {x[0], x[1]};
  throw Error(ErrorKind::kShape, str("X must have rank 1 or 2, got ", x));
}

Dim row_dim(const Fact& x) {
  if (!x.has_rank()) return {};
  return x.rank() == 1 ? Dim(1) : x.dim(0);
}

void require_length(const std::string& attribute, size_t got, int64_t want) {
  if (int64_t(got) == want) return;
  throw Error(ErrorKind::kModel, str(attribute, " must have ", want, " values, got ", got));
}

void throw_value(const std::string& attribute, const std::string& got, const std::string& allowed) {
  throw Error(ErrorKind::kModel, str(attribute, " must be ", allowed, ", got ", got));
}

ReadNumbers read_numbers_of(DType dtype) {
  return dispatch_number(dtype, []<class T>() -> ReadNumbers {
    return [](const void* data, int64_t begin, int64_t n, double* out) {
      const T* from = static_cast<const T*>(data) + begin;
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(from[i]);
    };
  });
}

}  // namespace linnet

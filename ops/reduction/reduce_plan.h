#pragma once

#include <cstdint>
#include <vector>

#include "linnet/executor.h"
#include "linnet/shape.h"

namespace linnet {

/// Iterates over some of the dims of a row-major tensor: maps an index in [0, size) to an offset in elements.
class Walk {
 public:
  /// Adds a dim. Dims are added from the outermost to the innermost.
  void add(int64_t dim, int64_t stride) { dims_.push_back({dim, stride}), size_ *= dim; }
  int64_t size() const { return size_; }

  int64_t offset(int64_t index) const {
    int64_t result = 0;
    for (size_t i = dims_.size(); i-- > 1; index /= dims_[i].size) result += index % dims_[i].size * dims_[i].stride;
    return dims_.empty() ? 0 : result + index * dims_[0].stride;
  }

 private:
  struct Dim {
    int64_t size;
    int64_t stride;
  };
  std::vector<Dim> dims_;
  int64_t size_ = 1;
};

/// A reduction with adjacent dims merged. Output element k * columns + c is the reduction of the input elements
/// kept.offset(k) + reduced.offset(j) + r * columns + c over all j and all r in [0, rows).
struct ReducePlan {
  Walk kept;
  Walk reduced;
  int64_t rows = 1;
  int64_t columns = 1;

  int64_t outputs() const { return kept.size() * columns; }
  /// The number of input elements per output element.
  int64_t count() const { return reduced.size() * rows; }
};

/// Returns how many consecutive columns are reduced together, at most `most`. Rows are read in order; they are divided
/// only if there are too few blocks for the workers.
int64_t column_block(const ReducePlan& plan, const Executor& executor, int64_t most);

/// is_reduced: one flag per dim of the shape.
ReducePlan make_reduce_plan(const Shape& shape, const std::vector<bool>& is_reduced);

}  // namespace linnet

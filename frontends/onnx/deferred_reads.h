#pragma once

#include <vector>

#include "linnet/executor.h"
#include "linnet/tensor.h"
#include "parse.h"
#include "tensor/tensor_arena.h"

namespace linnet {

/// Reads the initializers that the parser left out, all at once, straight to where they stay.
class DeferredReads {
 public:
  /// The model must outlive this.
  explicit DeferredReads(const ParsedModel& model);

  /// Where the values of an initializer lie, or nullptr where they are in its message.
  const ByteRange* find(const pb::TensorProto& proto) const;
  /// A tensor whose values are read from a range of as many bytes when they are asked for or, where that cannot be, by
  /// finish(). `name` goes into messages.
  Tensor tensor(DType dtype, const Shape& shape, const ByteRange& range, const std::string& name);
  /// Throws Error(kIo) where the model ends before a range does.
  void finish(Executor& executor);

 private:
  struct Read {
    Tensor to;
    int64_t offset = 0;
  };

  const ParsedModel& model_;
  TensorArena arena_;
  std::vector<Read> reads_;
};

}  // namespace linnet

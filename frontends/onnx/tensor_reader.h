#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "external_data.h"
#include "linnet/executor.h"
#include "linnet/tensor.h"
#include "parse.h"
#include "proto.h"
#include "tensor/tensor_arena.h"

namespace linnet {

/// Converts stored tensors to Tensors. A tensor that is read twice (a constant of a function called twice) is shared.
class TensorReader {
 public:
  /// Reads tensors whose messages are complete.
  explicit TensorReader(ExternalData external) : external_(std::move(external)), arena_(0) {}
  /// Reads tensors of a model, including the initializers that its parser left out. The model must stay valid until
  /// finish().
  TensorReader(const ParsedModel& model, ExternalData external);

  /// Reads a tensor of any encoding: raw, typed field, external. Throws what the decoders throw, without naming the
  /// tensor.
  Tensor read(const pb::TensorProto& proto);
  /// Returns the dense form.
  Tensor read(const pb::SparseTensorProto& proto);
  /// Reads an initializer of the main graph. Values that the parser left out are read on demand or, if that is
  /// impossible, by finish().
  Tensor read_later(const pb::TensorProto& proto);
  /// Reads the values that are still missing in parallel, directly to their final memory. Throws Error(kIo) if the
  /// model ends before them.
  void finish(Executor& executor);
  const ExternalData& external() const { return external_; }

 private:
  struct Missing {
    Tensor to;
    int64_t offset = 0;
  };

  Tensor decode(const pb::TensorProto& proto);
  Tensor decode_external(const pb::TensorProto& proto, DType dtype, const Shape& shape);
  Tensor decode_left_out(const pb::TensorProto& proto, const ByteRange& range);

  ExternalData external_;
  const ParsedModel* model_ = nullptr;
  TensorArena arena_;
  std::vector<Missing> missing_;
  std::unordered_map<const void*, Tensor> known_;
};

}  // namespace linnet

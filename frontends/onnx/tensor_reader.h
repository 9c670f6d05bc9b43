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

/// Turns stored tensors into Tensors. What is read twice (constants of a function that is called twice) is shared.
class TensorReader {
 public:
  /// Of tensors whose messages are complete.
  explicit TensorReader(ExternalData external) : external_(std::move(external)), arena_(0) {}
  /// Of a model, with the initializers that its parser left out. The model must outlive this, until finish().
  TensorReader(const ParsedModel& model, ExternalData external);

  /// Any encoding: raw, typed field, external. Throws what the decoders throw, without naming the tensor.
  Tensor read(const pb::TensorProto& proto);
  /// The dense form.
  Tensor read(const pb::SparseTensorProto& proto);
  /// Reads an initializer of the main graph. Values that the parser left out are read when they are asked for or, where
  /// that cannot be, by finish().
  Tensor read_later(const pb::TensorProto& proto);
  /// Reads the values that are still missing, all at once, straight to where they stay. Throws Error(kIo) where the
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

#pragma once

#include <string>
#include <unordered_map>

#include "deferred_reads.h"
#include "external_data.h"
#include "linnet/tensor.h"
#include "proto.h"

namespace linnet {

/// Turns stored tensors into Tensors. What is read twice (constants of a function that is called twice) is shared.
class TensorReader {
 public:
  /// `deferred`: where initializers' values are that their messages lack; nullptr: nowhere.
  explicit TensorReader(ExternalData external, DeferredReads* deferred = nullptr)
      : external_(std::move(external)), deferred_(deferred) {}

  /// Any encoding: raw, typed field, external. Throws what the decoders throw, without naming the tensor.
  Tensor read(const pb::TensorProto& proto);
  /// The dense form.
  Tensor read(const pb::SparseTensorProto& proto);
  /// Reads an initializer of the main graph; large values come with DeferredReads::finish().
  Tensor read_later(const pb::TensorProto& proto);
  const ExternalData& external() const { return external_; }

 private:
  Tensor decode(const pb::TensorProto& proto);
  Tensor decode_external(const pb::TensorProto& proto, DType dtype, const Shape& shape);

  ExternalData external_;
  DeferredReads* deferred_;
  std::unordered_map<const void*, Tensor> known_;
};

}  // namespace linnet

#pragma once

#include <string>
#include <unordered_map>

#include "external_data.h"
#include "linnet/tensor.h"
#include "proto.h"

namespace linnet {

/// Turns stored tensors into Tensors. What is read twice (constants of a function that is called twice) is shared.
class TensorReader {
 public:
  TensorReader(const std::string& folder, const ModelOptions& options) : external_(folder, options) {}

  /// Any encoding: raw, typed field, external. Throws what the decoders throw, without naming the tensor.
  Tensor read(const pb::TensorProto& proto);
  /// The dense form.
  Tensor read(const pb::SparseTensorProto& proto);
  /// Reads a tensor that nothing else refers to; large values are taken out of the message, not copied.
  Tensor take(pb::TensorProto& proto);

 private:
  Tensor decode(const pb::TensorProto& proto);
  Tensor decode_external(const pb::TensorProto& proto, DType dtype, const Shape& shape);

  ExternalData external_;
  std::unordered_map<const void*, Tensor> known_;
};

}  // namespace linnet

#include "tensor_reader.h"

#include <algorithm>

#include "file_contents.h"
#include "sparse_tensor.h"
#include "tensor/alignment.h"
#include "tensor/bool_bytes.h"
#include "tensor_data.h"
#include "value_type.h"

namespace linnet {

namespace {

// The bytes that one thread reads: whole huge pages, because each is cleared when it is first touched.
constexpr int64_t kThreadBytes = int64_t{4} << 20;

bool is_external(const pb::TensorProto& proto) { return proto.data_location() == pb::TensorProto::EXTERNAL; }

size_t arena_bytes(const ParsedModel& model) {
  size_t bytes = 0;
  for (const auto& [proto, range] : model.left_out) bytes += aligned(size_t(range.bytes));
  return bytes;
}

struct Chunk {
  std::span<std::byte> to;
  int64_t offset;
};

}  // namespace

TensorReader::TensorReader(const ParsedModel& model, ExternalData external)
    : external_(std::move(external)), model_(&model), arena_(arena_bytes(model)) {}

Tensor TensorReader::read(const pb::TensorProto& proto) {
  const auto found = known_.find(&proto);
  if (found != known_.end()) return found->second;
  return known_[&proto] = decode(proto);
}

Tensor TensorReader::read(const pb::SparseTensorProto& proto) {
  const auto found = known_.find(&proto);
  if (found != known_.end()) return found->second;
  const Shape shape = shape_from_proto(proto.dims());
  return known_[&proto] = dense_from_coordinates(decode(proto.values()), decode(proto.indices()), shape);
}

Tensor TensorReader::read_later(const pb::TensorProto& proto) {
  if (!model_) return decode(proto);
  if (const auto given = model_->given.find(&proto); given != model_->given.end()) return given->second;
  const auto found = model_->left_out.find(&proto);
  return found == model_->left_out.end() ? decode(proto) : decode_left_out(proto, found->second);
}

Tensor TensorReader::decode_left_out(const pb::TensorProto& proto, const ByteRange& range) {
  if (is_external(proto)) throw Error(ErrorKind::kModel, "values are stored here and in external data");
  const DType dtype = dtype_from_proto(proto.data_type());
  const Shape shape = shape_from_proto(proto.dims());
  check_raw_data(proto, size_t(range.bytes), dtype, shape);
  if (Tensor later = FileContents::tensor(model_->source, range.offset, dtype, shape, proto.name())) return later;
  missing_.push_back({arena_.tensor(dtype, shape), range.offset});
  return missing_.back().to;
}

void TensorReader::finish(Executor& executor) {
  std::vector<Chunk> chunks;
  for (Missing& read : missing_) {
    const auto bytes = int64_t(read.to.bytes());
    for (int64_t at = 0; at < bytes; at += kThreadBytes) {
      auto* const to = static_cast<std::byte*>(read.to.raw()) + at;
      chunks.push_back({{to, size_t(std::min(kThreadBytes, bytes - at))}, read.offset + at});
    }
  }
  executor.parallel_for(int64_t(chunks.size()),
                        [&](int64_t i, int) { model_->source->read(chunks[size_t(i)].to, chunks[size_t(i)].offset); });
  for (Missing& read : missing_) normalize_bools(read.to);
  missing_.clear();
}

Tensor TensorReader::decode(const pb::TensorProto& proto) {
  const DType dtype = dtype_from_proto(proto.data_type());
  const Shape shape = shape_from_proto(proto.dims());
  return is_external(proto) ? decode_external(proto, dtype, shape) : tensor_from_message(proto, dtype, shape);
}

Tensor TensorReader::decode_external(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  if (dtype == DType::kString) throw Error(ErrorKind::kModel, "strings cannot be stored in external data");
  if (!proto.raw_data().empty()) throw Error(ErrorKind::kModel, "values are stored here and in external data");
  external_.check(proto, int64_t(dtype_bytes(dtype, shape.elements())));
  if (const Tensor shared = external_.share(proto, dtype, shape)) return normalized_bools(shared);
  if (const Tensor later = external_.read_later(proto, dtype, shape)) return later;
  Tensor tensor(dtype, shape);
  external_.read(proto, {static_cast<std::byte*>(tensor.raw()), tensor.bytes()});
  normalize_bools(tensor);
  return tensor;
}

}  // namespace linnet

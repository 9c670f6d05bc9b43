#include "deferred_reads.h"

#include <algorithm>

#include "stored_range.h"
#include "tensor/alignment.h"
#include "tensor/bool_bytes.h"

namespace linnet {
namespace {

// One thread reads: whole huge pages, as each is cleared when it is first touched.
constexpr int64_t kThreadBytes = int64_t{4} << 20;

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

DeferredReads::DeferredReads(const ParsedModel& model) : model_(model), arena_(arena_bytes(model)) {}

const ByteRange* DeferredReads::find(const pb::TensorProto& proto) const {
  const auto found = model_.left_out.find(&proto);
  return found == model_.left_out.end() ? nullptr : &found->second;
}

Tensor DeferredReads::tensor(DType dtype, const Shape& shape, const ByteRange& range, const std::string& name) {
  if (Tensor later = tensor_in(model_.source, range.offset, dtype, shape, name)) return later;
  reads_.push_back({arena_.tensor(dtype, shape), range.offset});
  return reads_.back().to;
}

void DeferredReads::finish(Executor& executor) {
  std::vector<Chunk> chunks;
  for (Read& read : reads_) {
    const auto bytes = int64_t(read.to.bytes());
    for (int64_t at = 0; at < bytes; at += kThreadBytes) {
      auto* const to = static_cast<std::byte*>(read.to.raw()) + at;
      chunks.push_back({{to, size_t(std::min(kThreadBytes, bytes - at))}, read.offset + at});
    }
  }
  executor.parallel_for(int64_t(chunks.size()),
                        [&](int64_t i, int) { model_.source->read(chunks[size_t(i)].to, chunks[size_t(i)].offset); });
  for (Read& read : reads_) normalize_bools(read.to);
  reads_.clear();
}

}  // namespace linnet

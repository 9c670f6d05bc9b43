#include "run/run_blocks.h"

#include <algorithm>

namespace linnet {
namespace {

// A caller that holds an output holds its whole block. A block is therefore reused only if it has at most kLittle bytes
// or at most kMostTimes as many as the output needs.
constexpr size_t kLittle = size_t{64} << 10;
constexpr size_t kMostTimes = 8;

Tensor grown(size_t before, size_t bytes, const RunEnvironment& environment) {
  const size_t half_more = before + before / 2;
  const bool exact = before == 0 || environment.account();
  return environment.allocate(DType::kUint8, {int64_t(exact ? bytes : std::max(bytes, half_more))});
}

bool is_free(const std::shared_ptr<Tensor>& block) { return block && block.use_count() == 1; }

}  // namespace

void RunBlocks::reserve(Tensor& block, size_t bytes, const RunEnvironment& environment) {
  const size_t before = block ? block.bytes() : 0;
  if (block && before >= bytes) return;
  block = {};
  block = grown(before, bytes, environment);
}

void RunBlocks::Output::renew(size_t bytes, const RunEnvironment& environment) {
  if (!is_free(current)) std::swap(current, spare);
  size_t before = 0;
  if (is_free(current)) {
    const size_t size = current->bytes();
    if (size >= bytes && (size <= kLittle || size / kMostTimes <= bytes)) return;
    if (size < bytes) before = size;
  }
  current = nullptr;
  current = std::make_shared<Tensor>(grown(before, bytes, environment));
}

void RunBlocks::Output::renew_objects(DType dtype, const Shape& shape, const RunEnvironment& environment) {
  if (!is_free(current)) std::swap(current, spare);
  if (is_free(current) && current->dtype() == dtype && current->shape() == shape) return;
  current = nullptr;
  current = std::make_shared<Tensor>(environment.allocate(dtype, shape));
}

}  // namespace linnet

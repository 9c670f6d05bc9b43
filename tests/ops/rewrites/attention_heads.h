#pragma once

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

// The heads of an attention, joined in one axis and separate.
namespace linnet::testing {

inline constexpr int64_t kBatch = 2, kHeads = 4, kLength = 6, kSize = 8;
inline const Shape kJoined{kBatch, kLength, kHeads*kSize}, kSplit{kBatch, kHeads, kLength, kSize};

inline ValueId swap(GraphBuilder& b, ValueId x, const std::vector<int64_t>& perm = {0, 2, 1, 3}) {
  return b.op("Transpose", {x}, {{"perm", perm}});
}

inline ValueId split_heads(GraphBuilder& b, ValueId x, int64_t heads = kHeads) {
  return swap(b, b.op("Reshape", {x, ints(b, {0, 0, heads, kSize})}));
}

inline ValueId join_heads(GraphBuilder& b, ValueId x) { return b.op("Reshape", {swap(b, x), ints(b, {0, 0, -1})}); }

inline std::vector<Tensor> randoms(const std::vector<Shape>& shapes) {
  std::vector<Tensor> values;
  for (const Shape& shape : shapes) values.push_back(random_tensor(shape, unsigned(values.size() + 1)));
  return values;
}

}  // namespace linnet::testing

#pragma once

#include <vector>

#include "support/graph_builder.h"
#include "support/run_op.h"

// Parts of many graphs.
namespace linnet::testing {

inline constexpr DType kHalves[] = {DType::kFloat16, DType::kBFloat16};

inline ValueId num(GraphBuilder& b, double value) { return b.constant(Tensor::scalar(float(value))); }

inline ValueId ints(GraphBuilder& b, const std::vector<int64_t>& values) {
  return b.constant(Tensor::of<int64_t>(values));
}

/// The padding with which windows of 3 x 3 leave the image size unchanged.
inline const Attributes kSame{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};

inline ValueId batch_norm(GraphBuilder& b, ValueId x, int64_t channels) {
  return b.op("BatchNormalization",
              {x, b.constant(random_tensor({channels}, 5)), b.constant(random_tensor({channels}, 6)),
               b.constant(random_tensor({channels}, 7)), b.constant(random_uniform({channels}, 0.5f, 2.f, 8))});
}

}  // namespace linnet::testing

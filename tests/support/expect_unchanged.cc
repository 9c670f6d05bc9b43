#include "support/expect_unchanged.h"

#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {

void expect_unchanged(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  ModelOptions as_written;
  as_written.optimization = 0;
  const auto want = run_model(b.model(as_written), inputs), got = run_model(b.model(), inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) expect_close(got[i], want[i], 1e-4, 1e-4);
}

std::string optimized_ops(const GraphBuilder& b) {
  const Model model = b.model();
  std::string result;
  for (const NodeId id : model.graph().nodes()) {
    const NodeSpec& spec = model.graph().node(id).spec;
    result += std::string(result.empty() ? "" : " ") + (spec.domain.empty() ? "" : "+") + spec.op_type;
  }
  return result;
}

}  // namespace linnet::testing

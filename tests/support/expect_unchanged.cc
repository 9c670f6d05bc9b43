#include "support/expect_unchanged.h"

#include <gtest/gtest.h>

#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {

void expect_unchanged(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  ModelOptions as_written;
  as_written.optimization = 0;
  const auto want = run_model(b.model(as_written), inputs), got = run_model(b.model(), inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) expect_close(got[i], want[i], 1e-4, 1e-4);
}

namespace {

std::vector<std::string> names_of(const NodeSpec& spec) {
  if (spec.domain.empty()) return {spec.op_type};
  if (spec.op_type == "Elementwise") return spec.attr<std::vector<std::string>>("ops");
  return {"+" + spec.op_type};
}

}  // namespace

std::string optimized_ops(const GraphBuilder& b) {
  const Model model = b.model();
  std::string result;
  for (const NodeId id : model_graph(model).nodes()) {
    const NodeSpec& spec = model_graph(model).node(id).spec;
    for (const std::string& op : names_of(spec)) result += (result.empty() ? "" : " ") + op;
  }
  return result;
}

}  // namespace linnet::testing

#include "support/run_expanded.h"

#include <gtest/gtest.h>

#include "support/graph_builder.h"

namespace linnet::testing {
namespace {

std::vector<Tensor> run_as_kernel(const OpCase& op, const std::vector<Tensor>& inputs, int outputs, bool constants) {
  GraphBuilder b(op.opset);
  std::vector<ValueId> values;
  std::vector<Tensor> given;
  for (const Tensor& input : inputs) {
    if (!input) {
      values.push_back(kNoValue);
    } else if (constants && !given.empty()) {
      values.push_back(b.constant(input));
    } else {
      values.push_back(b.input("x" + std::to_string(given.size()), Fact(input.dtype(), input.shape())));
      given.push_back(input);
    }
  }
  for (const ValueId y : b.ops(op.op_type, values, outputs, op.attributes, op.domain)) b.output(y);
  ModelOptions options;
  options.optimization = 0;
  return run_model(b.model(options), given);
}

}  // namespace

std::vector<Tensor> run_expanded(const OpCase& op, const std::vector<Tensor>& inputs, int outputs) {
  const std::vector<Tensor> results = run_op(op, inputs, outputs);
  for (const bool constants : {false, true}) {
    const std::vector<Tensor> others = run_as_kernel(op, inputs, outputs, constants);
    for (size_t i = 0; i < results.size(); ++i) expect_close(others[i], results[i], 1e-5, 1e-5);
  }
  return results;
}

std::vector<Tensor> run_expanded(const std::string& op_type, const Attributes& attributes,
                                 const std::vector<Tensor>& inputs, int outputs) {
  return run_expanded(OpCase{op_type, 1, attributes, "com.microsoft"}, inputs, outputs);
}

}  // namespace linnet::testing

// Standard operators that kernels of clients call.
#include <map>
#include <mutex>

#include "dtypes.h"
#include "kernel_context.h"
#include "linnet/registry.h"
#include "op_attribute.h"
#include "run/model_graph.h"
#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

/// An operator with its attributes, and a model of one node for every list of dtypes that it is called with.
struct Op {
  NodeSpec node;
  std::shared_ptr<const Registry> registry;
  std::mutex mutex{};
  std::map<std::vector<DType>, std::unique_ptr<ContextPool>> contexts{};
};

namespace {

Model make_model_of(const Op& op, const std::vector<DType>& dtypes, Executor& executor) {
  Graph graph(op.registry);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    inputs.push_back(dtypes[i] == DType::kUndefined ? kNoValue
                                                    : graph.add_input(str("x", i), Fact(dtypes[i], std::nullopt)));
  }
  std::vector<std::string> outputs;
  for (int i = 0; i < op.node.num_outputs; ++i) outputs.push_back(str("y", i));
  const NodeId node = graph.add_node(op.node, inputs, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) graph.add_output(outputs[i], graph.node(node).outputs[i]);
  ModelOptions options;
  options.executor = std::shared_ptr<Executor>(&executor, [](Executor*) {});
  return make_model(std::move(graph), options);
}

ContextPool& contexts_of(Op& op, const std::vector<DType>& dtypes, Executor& executor) {
  const std::lock_guard lock(op.mutex);
  std::unique_ptr<ContextPool>& pool = op.contexts[dtypes];
  if (!pool) pool = std::make_unique<ContextPool>(make_model_of(op, dtypes, executor), nullptr);
  return *pool;
}

}  // namespace

Status* CreateOp(const KernelInfo* info, const char* name, const char* domain, int version, const char**,
                 const ElementType*, int, const OpAttr* const* attributes, int attribute_count, int input_count,
                 int output_count, Op** created) noexcept {
  return create(created, [&] {
    valid(info, "info");
    require(attribute_count >= 0 && input_count >= 0 && output_count > 0, "the number of values is not valid");
    NodeSpec node{.op_type = text(name, "op_name"),
                  .domain = domain ? domain : "",
                  .name = "standalone",
                  .opset = version,
                  .num_inputs = input_count,
                  .num_outputs = output_count};
    for (int i = 0; i < attribute_count; ++i) {
      const OpAttr& attribute = valid(attributes[i], "an attribute");
      node.attributes[attribute.name] = attribute.value;
    }
    auto registry = std::make_shared<const Registry>(standard_registry());
    try {
      registry->create(node);
    } catch (const Error& error) {
      throw Failure(kFail, str("kernel not found: ", error.what()));
    }
    return new Op{std::move(node), std::move(registry)};
  });
}

Status* InvokeOp(const KernelContext* context, Op* op, const Value* const* inputs, int input_count, Value** outputs,
                 int output_count) noexcept {
  return guarded([&] {
    linnet::KernelContext& engine = valid(context, "context").engine;
    Op& invoked = valid(op, "ort_op");
    require(output_count == invoked.node.num_outputs, "the operator was created with another number of outputs");
    std::vector<DType> dtypes;
    std::vector<Tensor> given;
    for (int i = 0; i < input_count; ++i) {
      dtypes.push_back(inputs[i] ? tensor_of(inputs[i]).dtype() : DType::kUndefined);
      if (inputs[i]) given.push_back(inputs[i]->tensor);
    }
    ContextPool& pool = contexts_of(invoked, dtypes, engine.executor());
    std::unique_ptr<Context> runner = pool.take();
    const std::span<const Tensor> results = [&] {
      try {
        return runner->run(given);
      } catch (const Error& error) {
        throw Failure(kFail, error.what());
      }
    }();
    for (int i = 0; i < output_count; ++i) {
      Value& output = valid(outputs[i], "an output");
      const Tensor& result = results[size_t(i)];
      if (!output.tensor) output.tensor = result.clone();
      if (!(output.tensor.shape() == result.shape()) || output.tensor.dtype() != result.dtype()) {
        throw Failure(kInvalidArgument, str("the value for output ", i, " is ", describe(output.tensor),
                                            ", the result ", describe(result)));
      }
      if (output.tensor.address() != result.address()) copy_elements(result, output.tensor);
    }
    pool.give_back(std::move(runner));
  });
}

void ReleaseOp(Op* op) noexcept { delete op; }

}  // namespace linnet::ort

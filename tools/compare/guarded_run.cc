#include "compare/guarded_run.h"

#include <algorithm>

#include "command/session.h"

namespace linnet::tool {
namespace {

/// The values of one node.
struct Computed {
  std::string node;
  std::vector<Tensor> outputs;
};

std::vector<Tensor> copies(std::span<const Tensor* const> tensors) {
  std::vector<Tensor> result;
  for (const Tensor* tensor : tensors) result.push_back(*tensor ? tensor->clone() : Tensor());
  return result;
}

class Recorder final : public Observer {
 public:
  void on_node(const NodeEvent& event) override { values.push_back({event.node.describe(), copies(event.outputs)}); }

  std::vector<Computed> values;
};

/// Compares the values of a run with those of another run, node by node.
class Comparer final : public Observer {
 public:
  explicit Comparer(const std::vector<Computed>& planned) : planned_(planned) {}

  void on_node(const NodeEvent& event) override {
    const size_t index = next_++;
    if (!difference.empty()) return;
    const std::string node = event.node.describe();
    if (index >= planned_.size() || planned_[index].node != node) {
      difference = node + " runs only with guarded memory";
      return;
    }
    for (size_t i = 0; i < event.outputs.size(); ++i) {
      if (!identical(planned_[index].outputs[i], *event.outputs[i])) {
        difference =
            str(node, ": output ", i, " (", linnet::describe(*event.outputs[i]), ") is another with guarded memory");
        return;
      }
    }
  }

  std::string difference;

 private:
  const std::vector<Computed>& planned_;
  size_t next_ = 0;
};

std::vector<Tensor> run(const ModelFlags& flags, bool guarded, const std::vector<Tensor>& inputs,
                        const std::shared_ptr<Observer>& observer) {
  const Registry registry = make_registry(flags);
  ModelOptions options = model_options(flags, registry);
  options.guard_memory = guarded;
  Context context(load_model(flags, options, registry), context_options(flags, observer));
  const std::span<const Tensor> outputs = context.run(inputs);
  return {outputs.begin(), outputs.end()};
}

}  // namespace

std::string guarded_difference(const ModelFlags& flags, const std::vector<Tensor>& inputs) {
  const auto recorder = std::make_shared<Recorder>();
  const std::vector<Tensor> outputs = run(flags, false, inputs, recorder);
  const auto comparer = std::make_shared<Comparer>(recorder->values);
  const std::vector<Tensor> expected = run(flags, true, inputs, comparer);
  if (!comparer->difference.empty()) return comparer->difference;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!identical(outputs[i], expected[i])) return str("output ", i, " of the model is another with guarded memory");
  }
  return {};
}

}  // namespace linnet::tool

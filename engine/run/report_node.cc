#include "run/report_node.h"

namespace linnet {
namespace {

std::vector<const Tensor*> tensors(const std::vector<int>& indices, const std::vector<Tensor>& slots) {
  static const Tensor absent;
  std::vector<const Tensor*> found;
  for (const int index : indices) found.push_back(index < 0 ? &absent : &slots[size_t(index)]);
  return found;
}

}  // namespace

void report_node(Observer& observer, const Step& step, const std::vector<Tensor>& slots,
                 Observer::Clock::time_point begin) {
  const auto end = Observer::Clock::now();
  const auto inputs = tensors(step.inputs, slots);
  const auto outputs = tensors(step.outputs, slots);
  observer.on_node({step.node->spec, *step.node->op, *step.kernel, inputs, outputs, begin, end});
}

}  // namespace linnet

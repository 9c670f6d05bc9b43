#include "traditionalml/tree_spec.h"

#include <algorithm>

#include "elements/dispatch.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

using Node = TreeSpec::Node;

void check_place(const std::string& what, int64_t place, size_t count) {
  if (place >= 0 && place < int64_t(count)) return;
  throw Error(ErrorKind::kModel, str(what, " must be in [0,", count, "), got ", place));
}

/// Walks all nodes below the roots, depth first, without recursion.
class CycleCheck {
 public:
  explicit CycleCheck(const CountedVector<Node>& nodes) : nodes_(nodes), state_(nodes.size(), kNew) {}

  void walk(int64_t root) {
    push(root);
    while (!open_.empty()) {
      auto& [place, next] = open_.back();
      const Node& node = nodes_[size_t(place)];
      if (node.mode == TreeSpec::Mode::kLeaf || next == 2) {
        state_[size_t(place)] = kDone;
        open_.pop_back();
      } else {
        push(next++ == 0 ? node.true_child : node.false_child);
      }
    }
  }

 private:
  enum State : uint8_t { kNew, kOpen, kDone };

  void push(int64_t place) {
    State& state = state_[size_t(place)];
    if (state == kOpen) throw Error(ErrorKind::kModel, str("tree node ", place, " of the attributes is below itself"));
    if (state == kDone) return;
    state = kOpen;
    open_.emplace_back(place, 0);
  }

  const CountedVector<Node>& nodes_;
  CountedVector<State> state_;
  CountedVector<std::pair<int64_t, int>> open_;  // A node, and how many of its children were visited.
};

}  // namespace

int64_t TreeSpec::features() const {
  int64_t most = 0;
  for (const Node& node : nodes) {
    if (node.mode != Mode::kLeaf) most = std::max(most, node.feature + 1);
  }
  return most;
}

void TreeSpec::check() const {
  if (targets < 1) throw Error(ErrorKind::kModel, str("there must be at least one target or class, got ", targets));
  if (nodes.size() > INT32_MAX || votes.size() > INT32_MAX || targets > INT32_MAX) {
    throw Error(ErrorKind::kLimit, str("trees of ", nodes.size(), " nodes, ", votes.size(), " votes and ", targets,
                                       " targets are too large"));
  }
  for (const Node& node : nodes) {
    if (node.mode == Mode::kLeaf) continue;
    check_place("a tree node's feature", node.feature, INT32_MAX);
    check_place("a tree node's child", node.true_child, nodes.size());
    check_place("a tree node's child", node.false_child, nodes.size());
  }
  for (const Vote& vote : votes) {
    check_place("the node of a leaf weight", vote.leaf, nodes.size());
    check_place("the target or class of a leaf weight", vote.target, size_t(targets));
  }
  CycleCheck cycles(nodes);
  for (const int64_t root : roots) {
    check_place("a tree's root", root, nodes.size());
    cycles.walk(root);
  }
}

CountedVector<double> tensor_floats(const Tensor& tensor, const std::string& attribute, bool* wide) {
  if (!is_floating(tensor.dtype()) || dtype_bits(tensor.dtype()) < 16) {
    throw Error(ErrorKind::kModel, str(attribute, " must be a float tensor, got ", describe(tensor)));
  }
  if (wide && tensor.dtype() == DType::kFloat64) *wide = true;
  return dispatch_stored(tensor.dtype(), [&]<class T>() {
    CountedVector<double> result;
    for (const T x : tensor.values<T>()) result.push_back(double(x));
    return result;
  });
}

CountedVector<double> floats_or_tensor(const NodeSpec& node, const std::string& attribute, bool* wide) {
  const auto* floats = node.find<std::vector<float>>(attribute);
  const Tensor* tensor = node.opset >= 3 ? node.find<Tensor>(attribute + "_as_tensor") : nullptr;
  if (!tensor) return floats ? CountedVector<double>(floats->begin(), floats->end()) : CountedVector<double>();
  if (floats && !floats->empty()) {
    throw Error(ErrorKind::kModel, str("only one of ", attribute, " and ", attribute, "_as_tensor may be given"));
  }
  return tensor_floats(*tensor, attribute + "_as_tensor", wide);
}

}  // namespace linnet

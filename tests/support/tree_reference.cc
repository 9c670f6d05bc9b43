#include "support/tree_reference.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Node = RandomTrees::Node;

class TreeGrower {
 public:
  TreeGrower(unsigned seed, int64_t targets) : random_(seed), targets_(targets) {}

  std::vector<Node> grow() {
    nodes_.clear();
    add(5);
    return nodes_;
  }

 private:
  int64_t draw(int64_t below) { return std::uniform_int_distribution<int64_t>(0, below - 1)(random_); }

  size_t add(int depth) {
    static const char* const kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                         "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
    const size_t place = nodes_.size();
    nodes_.emplace_back();
    Node node;
    if (depth == 0 || draw(5) == 0) {
      node.mode = "LEAF";
      for (int64_t i = draw(3); i >= 0; --i) node.votes.emplace_back(draw(targets_), float(draw(100)) / 10 - 5);
    } else {
      node.mode = kModes[draw(6)];
      node.feature = draw(3);
      node.threshold = float(draw(9)) / 2 - 2;
      node.true_child = add(depth - 1);
      node.false_child = add(depth - 1);
    }
    nodes_[place] = node;
    return place;
  }

  std::mt19937 random_;
  int64_t targets_;
  std::vector<Node> nodes_;
};

template <class T>
void append(Attributes& attributes, const std::string& name, const T& value) {
  auto& attribute = attributes.try_emplace(name, std::vector<T>()).first->second;
  std::get<std::vector<T>>(attribute).push_back(value);
}

void write(Attributes& attributes, int64_t tree, int64_t id, const Node& node) {
  append(attributes, "nodes_treeids", tree);
  append(attributes, "nodes_nodeids", id);
  append(attributes, "nodes_modes", node.mode);
  append(attributes, "nodes_featureids", node.feature);
  append(attributes, "nodes_values", node.threshold);
  append(attributes, "nodes_truenodeids", int64_t(node.true_child));
  append(attributes, "nodes_falsenodeids", int64_t(node.false_child));
  for (const auto& [target, weight] : node.votes) {
    append(attributes, "target_treeids", tree);
    append(attributes, "target_nodeids", id);
    append(attributes, "target_ids", target);
    append(attributes, "target_weights", weight);
  }
}

const Node& leaf_of(const std::vector<Node>& tree, const double* x) {
  const Node* node = &tree[0];
  while (node->mode != "LEAF") {
    const double a = x[node->feature], b = node->threshold;
    const bool holds = node->mode == "BRANCH_LEQ"   ? a <= b
                       : node->mode == "BRANCH_LT"  ? a < b
                       : node->mode == "BRANCH_GTE" ? a >= b
                       : node->mode == "BRANCH_GT"  ? a > b
                       : node->mode == "BRANCH_EQ"  ? a == b
                                                    : a != b;
    node = &tree[holds ? node->true_child : node->false_child];
  }
  return *node;
}

double combine(const std::vector<double>& votes, const std::string& aggregate, size_t trees) {
  if (votes.empty()) return 0;
  if (aggregate == "MIN") return *std::min_element(votes.begin(), votes.end());
  if (aggregate == "MAX") return *std::max_element(votes.begin(), votes.end());
  const double sum = std::accumulate(votes.begin(), votes.end(), 0.0);
  return aggregate == "AVERAGE" ? sum / double(trees) : sum;
}

}  // namespace

RandomTrees random_trees(unsigned seed, int64_t targets, int count) {
  RandomTrees result{{{"n_targets", targets}}, {}, targets};
  TreeGrower grower(seed, targets);
  for (int64_t tree = 0; tree < count; ++tree) {
    const std::vector<Node>& nodes = result.trees.emplace_back(grower.grow());
    for (size_t id = 0; id < nodes.size(); ++id) write(result.attributes, tree, int64_t(id), nodes[id]);
  }
  return result;
}

Tensor tree_reference(const RandomTrees& trees, const Tensor& x, const std::string& aggregate, double base) {
  const Tensor wide = cast_to(x, DType::kFloat64);
  Tensor y(DType::kFloat32, {x.dim(0), trees.targets});
  for (int64_t row = 0; row < x.dim(0); ++row) {
    std::vector<std::vector<double>> votes(size_t(trees.targets));
    for (const auto& tree : trees.trees) {
      for (const auto& [target, weight] : leaf_of(tree, wide.data<double>() + row * x.dim(1)).votes) {
        votes[size_t(target)].push_back(double(weight));
      }
    }
    for (int64_t t = 0; t < trees.targets; ++t) {
      const double value = combine(votes[size_t(t)], aggregate, trees.trees.size());
      y.data<float>()[row * trees.targets + t] = float(value + base);
    }
  }
  return y;
}

}  // namespace linnet::testing

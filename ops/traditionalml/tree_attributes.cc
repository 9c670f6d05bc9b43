#include <map>

#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/rows.h"
#include "traditionalml/tree_spec.h"

namespace linnet {
namespace {

using Mode = TreeSpec::Mode;
using Ints = CountedVector<int64_t>;

Mode mode_of(const std::string& name) {
  static const std::map<std::string, Mode> kModes = {
      {"BRANCH_LEQ", Mode::kLeq}, {"BRANCH_LT", Mode::kLt},   {"BRANCH_GTE", Mode::kGte}, {"BRANCH_GT", Mode::kGt},
      {"BRANCH_EQ", Mode::kEq},   {"BRANCH_NEQ", Mode::kNeq}, {"LEAF", Mode::kLeaf}};
  const auto found = kModes.find(name);
  if (found == kModes.end()) {
    throw_value("nodes_modes", "'" + name + "'", "LEAF or BRANCH_ with LEQ, LT, GTE, GT, EQ or NEQ");
  }
  return found->second;
}

/// The attributes that describe nodes, each as long as nodes_nodeids.
class NodeLists {
 public:
  explicit NodeLists(const NodeSpec& node)
      : ids(ints(node, "nodes_nodeids")),
        trees(ints(node, "nodes_treeids")),
        features(ints(node, "nodes_featureids")),
        true_ids(ints(node, "nodes_truenodeids")),
        false_ids(ints(node, "nodes_falsenodeids")),
        missing(ints(node, "nodes_missing_value_tracks_true")),
        modes(attribute_list<std::string>(node, "nodes_modes")),
        values(floats_or_tensor(node, "nodes_values", &wide)) {
    const auto count = int64_t(ids.size());
    if (missing.empty()) missing.resize(ids.size());
    require_length("nodes_treeids", trees.size(), count);
    require_length("nodes_featureids", features.size(), count);
    require_length("nodes_truenodeids", true_ids.size(), count);
    require_length("nodes_falsenodeids", false_ids.size(), count);
    require_length("nodes_missing_value_tracks_true", missing.size(), count);
    require_length("nodes_modes", modes.size(), count);
    require_length("nodes_values", values.size(), count);
  }

  bool wide = false;  // before values, which sets it
  Ints ids, trees, features, true_ids, false_ids, missing;
  CountedVector<std::string> modes;
  CountedVector<double> values;

 private:
  static Ints ints(const NodeSpec& node, const std::string& attribute) {
    return attribute_list<int64_t>(node, attribute);
  }
};

/// Finds nodes by the ids of their tree and of themselves.
class NodePlaces {
 public:
  explicit NodePlaces(const NodeLists& lists) {
    for (size_t i = 0; i < lists.ids.size(); ++i) {
      if (!places_.emplace(std::pair(lists.trees[i], lists.ids[i]), int64_t(i)).second) {
        throw Error(ErrorKind::kModel, str("node ", lists.ids[i], " of tree ", lists.trees[i], " is there twice"));
      }
    }
  }

  int64_t find(int64_t tree, int64_t id) const {
    const auto found = places_.find({tree, id});
    if (found == places_.end()) throw Error(ErrorKind::kModel, str("tree ", tree, " has no node ", id));
    return found->second;
  }

 private:
  std::map<std::pair<int64_t, int64_t>, int64_t, std::less<>,
           CountedAllocator<std::pair<const std::pair<int64_t, int64_t>, int64_t>>>
      places_;
};

void read_votes(const NodeSpec& node, const std::string& prefix, const NodePlaces& places, TreeSpec& spec) {
  const Ints targets = attribute_list<int64_t>(node, prefix + "_ids"),
             ids = attribute_list<int64_t>(node, prefix + "_nodeids");
  const Ints trees = attribute_list<int64_t>(node, prefix + "_treeids");
  const CountedVector<double> weights = floats_or_tensor(node, prefix + "_weights");
  require_length(prefix + "_nodeids", ids.size(), int64_t(targets.size()));
  require_length(prefix + "_treeids", trees.size(), int64_t(targets.size()));
  require_length(prefix + "_weights", weights.size(), int64_t(targets.size()));
  for (size_t i = 0; i < targets.size(); ++i) {
    spec.votes.push_back({places.find(trees[i], ids[i]), targets[i], weights[i]});
  }
}

}  // namespace

TreeSpec read_trees(const NodeSpec& node, const std::string& votes, int64_t targets) {
  const NodeLists lists(node);
  const NodePlaces places(lists);
  TreeSpec spec;
  spec.targets = targets;
  spec.wide = lists.wide;
  std::map<int64_t, bool> seen;
  for (size_t i = 0; i < lists.ids.size(); ++i) {
    TreeSpec::Node& added = spec.nodes.emplace_back();
    added.mode = mode_of(lists.modes[i]);
    const int64_t tree = lists.trees[i];
    if (seen.emplace(tree, true).second) spec.roots.push_back(int64_t(i));
    if (added.mode == Mode::kLeaf) continue;
    added.nan_is_true = lists.missing[i] != 0;
    added.feature = lists.features[i];
    added.threshold = lists.values[i];
    added.true_child = places.find(tree, lists.true_ids[i]);
    added.false_child = places.find(tree, lists.false_ids[i]);
  }
  read_votes(node, votes, places, spec);
  spec.check();
  return spec;
}

}  // namespace linnet

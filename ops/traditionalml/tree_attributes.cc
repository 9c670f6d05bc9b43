#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/feature_rows.h"
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

/// The attributes that describe nodes. Each has the length of nodes_nodeids.
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

  bool wide = false;  // Is declared before values, whose initialisation sets it.
  Ints ids, trees, features, true_ids, false_ids, missing;
  CountedVector<std::string> modes;
  CountedVector<double> values;

 private:
  static Ints ints(const NodeSpec& node, const std::string& attribute) {
    return attribute_list<int64_t>(node, attribute);
  }
};

/// Finds nodes by the ids of their tree and node, in tables of places for each tree that are sorted by id.
class NodePlaces {
 public:
  explicit NodePlaces(const NodeLists& lists) : lists_(lists), places_(lists.ids.size()) {
    std::iota(places_.begin(), places_.end(), int64_t{0});
    const auto less = [this](int64_t a, int64_t b) { return key(a) < key(b); };
    if (!std::is_sorted(places_.begin(), places_.end(), less)) {
      Checkpoints().sort(places_.begin(), places_.end(), less);
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      const auto [tree, id] = key(places_[i]);
      if (i > 0 && key(places_[i - 1]) == key(places_[i])) {
        throw Error(ErrorKind::kModel, str("node ", id, " of tree ", tree, " is defined twice"));
      }
      if (i == 0 || lists_.trees[size_t(places_[i - 1])] != tree) trees_.push_back({tree, i});
    }
  }

  size_t trees() const { return trees_.size(); }
  /// Returns the index of a tree in the order of ids. Throws Error(kModel) if there is no such tree.
  size_t index_of(int64_t tree) const {
    const auto found = std::ranges::lower_bound(trees_, tree, {}, &Tree::id);
    if (found == trees_.end() || found->id != tree) throw Error(ErrorKind::kModel, str("there is no tree ", tree));
    return size_t(found - trees_.begin());
  }

  int64_t find(int64_t tree, int64_t id) const {
    const size_t index = index_of(tree), begin = trees_[index].begin;
    const auto table = std::span(places_).subspan(
        begin, (index + 1 < trees_.size() ? trees_[index + 1].begin : places_.size()) - begin);
    const auto id_of = [this](int64_t place) { return lists_.ids[size_t(place)]; };
    // Most files number the nodes of a tree consecutively.
    const uint64_t guess = uint64_t(id) - uint64_t(id_of(table.front()));
    if (guess < table.size() && id_of(table[guess]) == id) return table[guess];
    const auto found = std::ranges::lower_bound(table, id, {}, id_of);
    if (found == table.end() || id_of(*found) != id) {
      throw Error(ErrorKind::kModel, str("tree ", tree, " has no node ", id));
    }
    return *found;
  }

 private:
  struct Tree {
    int64_t id;
    size_t begin;  ///< The begin of the tree's places.
  };

  std::pair<int64_t, int64_t> key(int64_t place) const {
    return {lists_.trees[size_t(place)], lists_.ids[size_t(place)]};
  }

  const NodeLists& lists_;
  CountedVector<int64_t> places_;  ///< The places of nodes in the lists, sorted by tree and id.
  CountedVector<Tree> trees_;
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
  CountedVector<uint8_t> has_root(places.trees());
  for (size_t i = 0; i < lists.ids.size(); ++i) {
    TreeSpec::Node& added = spec.nodes.emplace_back();
    added.mode = mode_of(lists.modes[i]);
    const int64_t tree = lists.trees[i];
    if (!std::exchange(has_root[places.index_of(tree)], 1)) spec.roots.push_back(int64_t(i));
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

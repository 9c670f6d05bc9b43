#pragma once

#include <functional>
#include <string>
#include <vector>

#include "json.h"

namespace linnet::pt2 {

/// How nested Python containers are laid out flat: a node of torch.utils._pytree.
struct TreeSpec {
  std::string type;                ///< "builtins.tuple", "builtins.dict", "collections.namedtuple"; empty of a leaf
  std::vector<std::string> names;  ///< of children: keys of a dict, fields of a namedtuple; empty where they have none
  std::vector<TreeSpec> children;

  bool is_leaf() const { return type.empty(); }
};

/// The fields of a namedtuple by its type; nullptr where they are not known.
using NamedTupleFields = std::function<const std::vector<std::string>*(const std::string& type)>;

/// Parses what treespec_dumps() writes, a text.
TreeSpec parse_tree_spec(JsonRef text, const NamedTupleFields& fields);

/// One name for each leaf, in their order: "y", "pair.0", "pair.1.h"; empty for a tree that is one leaf.
std::vector<std::string> leaf_names(const TreeSpec& tree);

}  // namespace linnet::pt2

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "json.h"

namespace linnet::pt2 {

/// The flat layout of nested Python containers: a node of torch.utils._pytree.
struct TreeSpec {
  std::string type;                ///< "builtins.tuple", "builtins.dict", "collections.namedtuple"; empty for a leaf
  std::vector<std::string> names;  ///< of children: keys of a dict, fields of a namedtuple; else empty
  std::vector<TreeSpec> children;

  bool is_leaf() const { return type.empty(); }
};

/// The fields of a namedtuple by its type; nullptr if they are unknown.
using NamedTupleFields = std::function<const std::vector<std::string>*(const std::string& type)>;

/// Parses the text that treespec_dumps() writes.
TreeSpec parse_tree_spec(JsonRef text, const NamedTupleFields& fields);

/// Returns one name for each leaf, in order: "y", "pair.0", "pair.1.h". The name of a tree that is one leaf is empty.
std::vector<std::string> leaf_names(const TreeSpec& tree);

}  // namespace linnet::pt2

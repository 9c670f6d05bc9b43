#pragma once

#include <map>
#include <string>
#include <vector>

#include "linnet/node_spec.h"

namespace linnet::testing {

/// Trees of random shape, as nested nodes and as the attributes nodes_* and target_* of TreeEnsembleRegressor.
struct RandomTrees {
  struct Node {
    std::string mode;  ///< LEAF or BRANCH_*
    int64_t feature = 0;
    float threshold = 0;
    size_t true_child = 0, false_child = 0;  ///< indices of nodes in the tree
    std::vector<std::pair<int64_t, float>> votes{};
  };
  Attributes attributes;
  std::vector<std::vector<Node>> trees;  ///< the root of each comes first
  int64_t targets;
};

/// Returns trees that read 3 features.
RandomTrees random_trees(unsigned seed, int64_t targets, int count);

/// Computes TreeEnsembleRegressor by its definition, row by row in float64. x: [N, 3] of any number dtype.
Tensor tree_reference(const RandomTrees& trees, const Tensor& x, const std::string& aggregate, double base);

}  // namespace linnet::testing

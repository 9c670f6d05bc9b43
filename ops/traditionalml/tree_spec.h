#pragma once

#include <string>

#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// Decision trees as all TreeEnsemble operators describe them. After check(), an evaluation ends and stays inside the
/// arrays:
/// - Every child and root is a node.
/// - No node is below itself.
/// - Features are not negative.
/// - Targets are in range.
struct TreeSpec {
  /// The condition for the true child. NaN goes to the true child if nan_is_true, whatever the mode.
  enum class Mode : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember, kLeaf };

  struct Node {
    Mode mode = Mode::kLeaf;
    bool nan_is_true = false;
    int64_t feature = 0;
    double threshold = 0;
    int64_t true_child = 0, false_child = 0;  ///< Indices of nodes.
    size_t set = 0;                           ///< The index of the set, for kMember.
  };

  /// The weight that a leaf adds to a target.
  struct Vote {
    int64_t leaf;  ///< The index of the node.
    int64_t target;
    double weight;
  };

  CountedVector<Node> nodes;
  CountedVector<int64_t> roots;
  CountedVector<Vote> votes;
  CountedVector<CountedVector<double>> sets;
  int64_t targets = 0;
  bool wide = false;  ///< Whether some threshold or set member may not be a float32.

  /// The least number of features that X must have.
  int64_t features() const;
  /// Throws Error(kModel) if one of the conditions above is violated.
  void check() const;
};

/// Reads the attributes nodes_* and <votes>_ids, _nodeids, _treeids and _weights of TreeEnsembleClassifier (votes =
/// "class") and TreeEnsembleRegressor ("target"), and checks them.
TreeSpec read_trees(const NodeSpec& node, const std::string& votes, int64_t targets);

/// Returns the attribute as float64: the list of floats or, from version 3 on, <attribute>_as_tensor. Sets `wide` for a
/// tensor of float64. Throws Error(kModel) if both are present, and for tensors of other dtypes.
CountedVector<double> floats_or_tensor(const NodeSpec& node, const std::string& attribute, bool* wide = nullptr);
/// Returns the elements of a float tensor as float64. Throws Error(kModel) for other dtypes.
CountedVector<double> tensor_floats(const Tensor& tensor, const std::string& attribute, bool* wide = nullptr);

}  // namespace linnet

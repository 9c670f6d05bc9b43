#pragma once

#include <string>

#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// Decision trees as all TreeEnsemble operators describe them, checked: every child and root is a node, no node is
/// below itself, features are not negative, and targets are in range, so that an evaluation ends and stays inside the
/// arrays.
struct TreeSpec {
  /// When a node leads to its true child. NaN goes where nan_is_true says, whatever the mode.
  enum class Mode : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember, kLeaf };

  struct Node {
    Mode mode = Mode::kLeaf;
    bool nan_is_true = false;
    int64_t feature = 0;
    double threshold = 0;
    int64_t true_child = 0, false_child = 0;  ///< places among the nodes
    size_t set = 0;                           ///< place among the sets, for kMember
  };

  /// What a leaf adds to a target.
  struct Vote {
    int64_t leaf;  ///< place among the nodes
    int64_t target;
    double weight;
  };

  CountedVector<Node> nodes;
  CountedVector<int64_t> roots;
  CountedVector<Vote> votes;
  CountedVector<CountedVector<double>> sets;
  int64_t targets = 0;
  bool wide = false;  ///< some threshold or set member may be no float32

  /// The least number of features that X must have.
  int64_t features() const;
  /// Throws Error(kModel) for what the comment above excludes.
  void check() const;
};

/// The attributes nodes_* and <votes>_ids, _nodeids, _treeids and _weights of TreeEnsembleClassifier (votes = "class")
/// and TreeEnsembleRegressor ("target"), checked.
TreeSpec read_trees(const NodeSpec& node, const std::string& votes, int64_t targets);

/// The attribute as float64: the list of floats or, from version 3 on, <attribute>_as_tensor. `wide` is set for a
/// tensor of float64. Throws Error(kModel) where both are given, and for tensors of other dtypes.
CountedVector<double> floats_or_tensor(const NodeSpec& node, const std::string& attribute, bool* wide = nullptr);
/// The elements of a float tensor as float64. Throws Error(kModel) for other dtypes.
CountedVector<double> tensor_floats(const Tensor& tensor, const std::string& attribute, bool* wide = nullptr);

}  // namespace linnet

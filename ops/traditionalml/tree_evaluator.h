#pragma once

#include <memory>
#include <mutex>

#include "partition/checkpoints.h"
#include "traditionalml/tree_spec.h"

namespace linnet {

/// How the votes for one target are put together, numbered as in TreeEnsemble.
enum class TreeAggregate { kAverage, kSum, kMin, kMax };

/// Trees in the form they are evaluated in, for rows of T (float or double).
///
/// All comparisons become x <= threshold: x < t is x <= the largest number below t, and x > t and x >= t swap the
/// children. Leaves lead to themselves, so that several rows go down a tree, or few rows down several trees, in step
/// until none of them moves.
template <class T>
class TreeEvaluator {
 public:
  explicit TreeEvaluator(const TreeSpec& spec);

  /// For each of `rows` rows of x (of `width` numbers): scores[row * targets + t] becomes the aggregate of the votes
  /// for target t (0 where there are none), and voted[...] whether there was one.
  void compute(const T* x, int64_t width, int64_t rows, TreeAggregate aggregate, double* scores, bool* voted) const;

  int64_t trees() const { return int64_t(roots_.size()); }

 private:
  struct Node {
    T threshold;
    uint32_t feature;  // shifted by one; the lowest bit: NaN goes to children[1]
    int32_t children[2];
  };
  struct Vote {
    int32_t target;
    double weight;
  };
  enum class Rule : uint8_t { kLeq, kEq, kMember };
  static constexpr int64_t kLanes = 16;

  void add_node(const TreeSpec::Node& from, int32_t place);
  void add_votes(const TreeSpec& spec);
  /// From places[i] down its tree to a leaf, by row x[i], for each i < count.
  void walk(const T* const* x, int64_t count, int32_t* places, Checkpoints& checkpoints) const;
  bool holds(const Node& node, int32_t place, T x) const;
  void vote(int32_t place, TreeAggregate aggregate, double* scores, bool* voted) const;

  std::vector<Node> nodes_;
  std::vector<int32_t> roots_;
  std::vector<Rule> rules_;           // of each node
  std::vector<size_t> set_of_;        // of each node, empty without sets
  std::vector<std::vector<T>> sets_;  // sorted
  std::vector<Vote> votes_;           // those of one leaf together
  std::vector<int32_t> first_vote_;   // of each node, and their number at the end
  std::vector<double> sum_;           // of the votes of each node, for one target
  int64_t targets_;
  bool only_leq_ = true, nan_matters_ = false;
};

extern template class TreeEvaluator<float>;
extern template class TreeEvaluator<double>;

/// The trees of a node, with the evaluators made when they are first needed and shared by all plans.
class TreeModel {
 public:
  explicit TreeModel(TreeSpec spec) : spec_(std::move(spec)) {}

  const TreeSpec& spec() const { return spec_; }
  /// Rows of this dtype are evaluated as float32: they and the thresholds are no wider.
  bool narrow(DType x) const { return !spec_.wide && x == DType::kFloat32; }
  template <class T>
  std::shared_ptr<const TreeEvaluator<T>> evaluator() const;

 private:
  TreeSpec spec_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TreeEvaluator<float>> narrow_;
  mutable std::shared_ptr<const TreeEvaluator<double>> wide_;
};

template <>
std::shared_ptr<const TreeEvaluator<float>> TreeModel::evaluator() const;
template <>
std::shared_ptr<const TreeEvaluator<double>> TreeModel::evaluator() const;

}  // namespace linnet

#pragma once

#include <memory>
#include <mutex>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"
#include "traditionalml/tree_spec.h"

namespace linnet {

/// How the votes for one target are put together, numbered as in TreeEnsemble.
enum class TreeAggregate { kAverage, kSum, kMin, kMax };

/// Trees in the form they are evaluated in, for rows of T (float or double).
///
/// All comparisons become x <= threshold: x < t is x <= the largest number below t, and x > t and x >= t swap the
/// children. The two children of a node lie side by side, level by level, and leaves lead to themselves, so that kLanes
/// walks down trees go on in step, without branches, until none of them moves: those of several rows down one tree, or
/// of one row down several trees. Every row adds its votes in the order of the trees.
template <class T>
class TreeEvaluator {
 public:
  static constexpr int64_t kLanes = 16;

  explicit TreeEvaluator(const TreeSpec& spec);

  /// Numbers of T that compute() needs for so many rows.
  int64_t space(int64_t width, int64_t rows) const;
  /// For each of `rows` rows of x (of `width` numbers): scores[row * targets + t] becomes the aggregate of the votes
  /// for target t (0 where there are none), and voted[...] whether there was one.
  void compute(const T* x, int64_t width, int64_t rows, TreeAggregate aggregate, T* space, double* scores,
               bool* voted) const;

  int64_t trees() const { return int64_t(roots_.size()); }
  /// Of one row down all trees, at most; trees that share nodes count as kSureSteps deep.
  int64_t steps() const { return steps_; }

 private:
  struct Node {
    T threshold;
    uint32_t feature;  // shifted by one; the lowest bit: NaN goes to the true child
    int32_t child;     // the false one, which the true one follows
  };
  struct Vote {
    int32_t target;
    double weight;
  };
  struct Range {
    int32_t begin, end;
  };
  struct Root {
    int32_t place;
    int32_t depth;  // kUnknownDepth where nodes are shared
  };
  /// Where votes of a row go, from scores and voted of its first target on.
  struct Votes {
    TreeAggregate aggregate;
    bool add_only;
    double* scores;
    bool* voted;
  };
  enum class Rule : uint8_t { kLeq, kEq, kMember };
  static constexpr int32_t kUnknownDepth = INT32_MAX;
  static constexpr int32_t kSureSteps = 8;   // that are walked without asking whether anything moved
  static constexpr int64_t kFewestRows = 8;  // that are worth kLanes lanes

  void add_trees(const TreeSpec& spec);
  void add_node(const TreeSpec& spec, int32_t place, CountedVector<int32_t>& children);
  void add_votes(const TreeSpec& spec);
  bool transposes(int64_t width) const;
  /// How many rows of some go down the trees together; the others go one by one.
  static int64_t rows_together(int64_t rows) { return rows % kLanes < kFewestRows ? rows - rows % kLanes : rows; }

  /// Calls f with how a lane's comparison is made: holds(node, place, value).
  template <class F>
  void with_rule(F f) const;
  bool holds(const Node& node, int32_t place, T x) const;
  /// From places down to leaves, at most `depth` steps; value(lane, feature) is what a lane compares.
  template <class Holds, class Value>
  void walk(const Holds& holds, const Value& value, int32_t depth, int32_t (&places)[kLanes],
            Checkpoints& checkpoints) const;
  template <class Holds>
  void walk_transposed(const Holds& holds, const T* x, int64_t width, int64_t rows, T* space, const Votes& votes,
                       Checkpoints& checkpoints) const;
  template <class Holds>
  void walk_rows(const Holds& holds, const T* x, int64_t width, int64_t rows, const Votes& votes,
                 Checkpoints& checkpoints) const;
  template <class Holds>
  void walk_row(const Holds& holds, const T* x, const Votes& votes, Checkpoints& checkpoints) const;
  void vote(int32_t place, const Votes& votes, int64_t row) const;

  CountedVector<Node> nodes_;
  CountedVector<Root> roots_;
  int64_t steps_ = 0;
  CountedVector<int32_t> source_;         // of each node: its place in the specification
  CountedVector<Rule> rules_;             // of each node
  CountedVector<size_t> set_of_;          // of each node of the specification, empty without sets
  CountedVector<CountedVector<T>> sets_;  // sorted
  CountedVector<Vote> votes_;             // those of one leaf together
  CountedVector<Range> votes_of_;         // of each node
  CountedVector<double> sum_;             // of the votes of each node, for one target
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

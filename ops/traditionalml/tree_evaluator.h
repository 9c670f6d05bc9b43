#pragma once

#include <memory>
#include <mutex>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"
#include "traditionalml/tree_spec.h"

namespace linnet {

/// The aggregation of the votes for one target, numbered as in TreeEnsemble.
enum class TreeAggregate { kAverage, kSum, kMin, kMax };

/// Trees in the layout for evaluation, for rows of T (float or double).
///
/// All comparisons become x <= threshold: x < t becomes x <= the largest number below t; x > t and x >= t swap the
/// children. The two children of a node are adjacent, level by level, and leaves lead to themselves. So kLanes walks
/// down trees advance together without branches until none of them moves: several rows down one tree, or one row down
/// several trees. Every row adds its votes in the order of the trees.
template <class T>
class TreeEvaluator {
 public:
  static constexpr int64_t kLanes = 16;

  explicit TreeEvaluator(const TreeSpec& spec);

  /// The numbers of T that compute() needs for `rows` rows of `width` numbers.
  int64_t space(int64_t width, int64_t rows) const;
  /// Evaluates `rows` rows of x (`width` numbers each). scores[row * targets + t] becomes the aggregate of the votes
  /// for target t (0 without votes), and voted[...] whether there was a vote.
  void compute(const T* x, int64_t width, int64_t rows, TreeAggregate aggregate, T* space, double* scores,
               bool* voted) const;

  int64_t trees() const { return int64_t(roots_.size()); }
  /// The largest number of steps of one row down all trees. Trees that share nodes count as kSureSteps deep.
  int64_t steps() const { return steps_; }

 private:
  struct Node {
    T threshold;
    uint32_t feature;  // The feature, shifted by one. The lowest bit is set if NaN goes to the true child.
    int32_t child;     // The place of the false child; the true one follows it.
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
    int32_t depth;  // kUnknownDepth if nodes are shared.
  };
  /// The destination of a row's votes: scores and voted from its first target on.
  struct Votes {
    TreeAggregate aggregate;
    bool add_only;
    double* scores;
    bool* voted;
  };
  enum class Rule : uint8_t { kLeq, kEq, kMember };
  static constexpr int32_t kUnknownDepth = INT32_MAX;
  static constexpr int32_t kSureSteps = 8;   // The steps that are taken before testing whether anything moved.
  static constexpr int64_t kFewestRows = 8;  // The fewest rows for which kLanes lanes are worthwhile.

  void add_trees(const TreeSpec& spec);
  void add_node(const TreeSpec& spec, int32_t place, CountedVector<int32_t>& children);
  void add_votes(const TreeSpec& spec);
  bool transposes(int64_t width) const;
  /// The number of rows that go down the trees together; the others go one by one.
  static int64_t rows_together(int64_t rows) { return rows % kLanes < kFewestRows ? rows - rows % kLanes : rows; }

  /// Calls f with the comparison of a lane: holds(node, place, value).
  template <class F>
  void with_rule(F f) const;
  bool holds(const Node& node, int32_t place, T x) const;
  /// Walks from places down to leaves, at most `depth` steps. value(lane, feature) is the number that a lane compares.
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
  CountedVector<int32_t> source_;         // The place of each node in the specification.
  CountedVector<Rule> rules_;             // The rule of each node.
  CountedVector<size_t> set_of_;          // The set of each node of the specification; empty without sets.
  CountedVector<CountedVector<T>> sets_;  // Each set is sorted.
  CountedVector<Vote> votes_;             // The votes of one leaf are contiguous.
  CountedVector<Range> votes_of_;         // The range of each node's votes.
  CountedVector<double> sum_;             // The sum of the votes of each node, for one target.
  int64_t targets_;
  bool only_leq_ = true, nan_matters_ = false;
};

extern template class TreeEvaluator<float>;
extern template class TreeEvaluator<double>;

/// The trees of a node. Evaluators are made lazily and shared by all plans. Thread-safe.
class TreeModel {
 public:
  explicit TreeModel(TreeSpec spec) : spec_(std::move(spec)) {}

  const TreeSpec& spec() const { return spec_; }
  /// Whether rows of this dtype are evaluated as float32, because neither they nor the thresholds are wider.
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

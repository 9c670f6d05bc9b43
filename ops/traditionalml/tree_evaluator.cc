#include "traditionalml/tree_evaluator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/counted_vector.h"

namespace linnet {

template <class T>
TreeEvaluator<T>::TreeEvaluator(const TreeSpec& spec) : targets_(spec.targets) {
  add_trees(spec);
  for (const CountedVector<double>& set : spec.sets) {
    CountedVector<T>& sorted = sets_.emplace_back(set.begin(), set.end());
    std::sort(sorted.begin(), sorted.end());
  }
  if (!sets_.empty()) {
    for (const TreeSpec::Node& node : spec.nodes) set_of_.push_back(node.set);
  }
  add_votes(spec);
}

template <class T>
void TreeEvaluator<T>::add_trees(const TreeSpec& spec) {
  const int64_t most = checked_add(checked_mul(2, std::ssize(spec.nodes)), std::ssize(spec.roots));
  if (most > INT32_MAX) throw Error(ErrorKind::kLimit, str("trees of ", spec.nodes.size(), " nodes are too large"));
  // The place of each node's children; -1 if they have no place yet.
  CountedVector<int32_t> children(spec.nodes.size(), -1);
  for (const int64_t root : spec.roots) {
    const auto first = int32_t(source_.size());
    source_.push_back(int32_t(root));
    int32_t depth = 0;
    bool shared = false;
    for (int32_t begin = first, end = first + 1; begin < end; begin = end, end = int32_t(source_.size())) {
      for (int32_t place = begin; place < end; ++place) {
        const size_t before = source_.size();
        add_node(spec, place, children);
        shared = shared || (source_.size() == before && nodes_.back().child != place);
      }
      depth += int32_t(source_.size()) > end;
    }
    roots_.push_back({first, shared ? kUnknownDepth : depth});
    steps_ += shared ? kSureSteps : depth;
  }
}

template <class T>
void TreeEvaluator<T>::add_node(const TreeSpec& spec, int32_t place, CountedVector<int32_t>& children) {
  using Mode = TreeSpec::Mode;
  const int32_t source = source_[size_t(place)];
  const TreeSpec::Node& from = spec.nodes[size_t(source)];
  const Mode mode = from.mode;
  if (mode == Mode::kLeaf) {
    nodes_.push_back({std::numeric_limits<T>::quiet_NaN(), 0, place});
    rules_.push_back(Rule::kLeq);
    return;
  }
  const bool swapped = mode == Mode::kGte || mode == Mode::kGt || mode == Mode::kNeq;
  const bool below = mode == Mode::kLt || mode == Mode::kGte;
  const bool nan = from.nan_is_true != swapped;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T threshold = T(from.threshold);
  if (below)
    threshold = threshold == -kInfinity ? std::numeric_limits<T>::quiet_NaN() : std::nextafter(threshold, -kInfinity);
  int32_t& child = children[size_t(source)];
  if (child < 0) {
    child = int32_t(source_.size());
    source_.push_back(int32_t(swapped ? from.true_child : from.false_child));
    source_.push_back(int32_t(swapped ? from.false_child : from.true_child));
  }
  nodes_.push_back({threshold, uint32_t(from.feature) << 1 | uint32_t(nan), child});
  rules_.push_back(mode == Mode::kMember                     ? Rule::kMember
                   : mode == Mode::kEq || mode == Mode::kNeq ? Rule::kEq
                                                             : Rule::kLeq);
  only_leq_ = only_leq_ && rules_.back() == Rule::kLeq;
  nan_matters_ = nan_matters_ || nan;
}

template <class T>
void TreeEvaluator<T>::add_votes(const TreeSpec& spec) {
  CountedVector<int32_t> first(spec.nodes.size() + 1);  // The first vote of each node of the specification.
  CountedVector<double> sums(spec.nodes.size());
  for (const TreeSpec::Vote& vote : spec.votes) {
    ++first[size_t(vote.leaf) + 1];
    sums[size_t(vote.leaf)] += vote.weight;
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (const int32_t source : source_) {
    sum_.push_back(sums[size_t(source)]);
    votes_of_.push_back({first[size_t(source)], first[size_t(source) + 1]});
  }
  CountedVector<int32_t> next = first;
  votes_.resize(spec.votes.size());
  for (const TreeSpec::Vote& vote : spec.votes) {
    votes_[size_t(next[size_t(vote.leaf)]++)] = {int32_t(vote.target), vote.weight};
  }
}

template <class T>
bool TreeEvaluator<T>::holds(const Node& node, int32_t place, T x) const {
  if (std::isnan(x)) return node.feature & 1;
  const Rule rule = rules_[size_t(place)];
  if (rule == Rule::kLeq) return x <= node.threshold;
  if (rule == Rule::kEq) return x == node.threshold;
  const CountedVector<T>& set = sets_[set_of_[size_t(source_[size_t(place)])]];
  return std::binary_search(set.begin(), set.end(), x);
}

template <class T>
template <class F>
void TreeEvaluator<T>::with_rule(F f) const {
  if (!only_leq_) return f([this](const Node& node, int32_t place, T x) { return holds(node, place, x); });
  if (!nan_matters_) return f([](const Node& node, int32_t, T x) { return x <= node.threshold; });
  f([](const Node& node, int32_t, T x) { return (x <= node.threshold) | (((node.feature & 1) != 0) & (x != x)); });
}

template <class T>
template <class Holds, class Value>
void TreeEvaluator<T>::walk(const Holds& holds_at, const Value& value, int32_t depth, int32_t (&places)[kLanes],
                            Checkpoints& checkpoints) const {
  const Node* nodes = nodes_.data();
  const auto next = [&](int64_t lane) {
    const Node& node = nodes[places[lane]];
    return node.child + int32_t(holds_at(node, places[lane], value(lane, int64_t(node.feature >> 1))));
  };
  for (int32_t step = std::min(depth, kSureSteps); step > 0; --step) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i) places[i] = next(i);
  }
  checkpoints.add(2 * kSureSteps * kLanes);
  if (depth <= kSureSteps) return;
  for (int32_t moved = 1; moved != 0;) {
    moved = 0;
    for (int64_t i = 0; i < kLanes; ++i) {
      const int32_t to = next(i);
      moved |= to ^ places[i];
      places[i] = to;
    }
    checkpoints.add(2 * kLanes);
  }
}

template <class T>
void TreeEvaluator<T>::vote(int32_t place, const Votes& votes, int64_t row) const {
  if (votes.add_only) {
    votes.scores[row] += sum_[size_t(place)];
    return;
  }
  double* scores = votes.scores + row * targets_;
  bool* voted = votes.voted + row * targets_;
  const auto join = [&](auto joined) {
    for (int32_t v = votes_of_[size_t(place)].begin; v < votes_of_[size_t(place)].end; ++v) {
      const auto [target, weight] = votes_[size_t(v)];
      scores[target] = voted[target] ? joined(scores[target], weight) : weight;
      voted[target] = true;
    }
  };
  if (votes.aggregate == TreeAggregate::kMin) return join([](double a, double b) { return std::min(a, b); });
  if (votes.aggregate == TreeAggregate::kMax) return join([](double a, double b) { return std::max(a, b); });
  join(std::plus<>());
}

/// Walks blocks of kLanes rows. In each block, the numbers of one feature are contiguous, which makes steps faster.
template <class T>
template <class Holds>
void TreeEvaluator<T>::walk_transposed(const Holds& holds_at, const T* x, int64_t width, int64_t rows, T* space,
                                       const Votes& votes, Checkpoints& checkpoints) const {
  const int64_t blocks = ceil_div(rows, kLanes);
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t i = 0; i < kLanes; ++i) {
      const T* from = x + std::min(rows - 1, b * kLanes + i) * width;
      T* to = space + b * width * kLanes + i;
      for (int64_t f = 0; f < width; ++f) to[f * kLanes] = from[f];
    }
    checkpoints.add(kLanes * width);
  }
  for (const Root root : roots_) {
    for (int64_t b = 0; b < blocks; ++b) {
      const T* block = space + b * width * kLanes;
      int32_t places[kLanes];
      std::fill_n(places, kLanes, root.place);
      walk(
          holds_at, [block](int64_t lane, int64_t feature) { return block[feature * kLanes + lane]; }, root.depth,
          places, checkpoints);
      const int64_t first = b * kLanes, count = std::min(kLanes, rows - first);
      for (int64_t i = 0; i < count; ++i) vote(places[i], votes, first + i);
    }
  }
}

template <class T>
template <class Holds>
void TreeEvaluator<T>::walk_rows(const Holds& holds_at, const T* x, int64_t width, int64_t rows, const Votes& votes,
                                 Checkpoints& checkpoints) const {
  for (int64_t first = 0; first < rows; first += kLanes) {
    const int64_t count = std::min(kLanes, rows - first);
    const T* from[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) from[i] = x + (first + std::min(i, count - 1)) * width;
    for (const Root root : roots_) {
      int32_t places[kLanes];
      std::fill_n(places, kLanes, root.place);
      walk(
          holds_at, [&from](int64_t lane, int64_t feature) { return from[lane][feature]; }, root.depth, places,
          checkpoints);
      for (int64_t i = 0; i < count; ++i) vote(places[i], votes, first + i);
    }
  }
}

/// Walks one row down several trees at once.
template <class T>
template <class Holds>
void TreeEvaluator<T>::walk_row(const Holds& holds_at, const T* x, const Votes& votes, Checkpoints& checkpoints) const {
  for (int64_t tree = 0; tree < trees(); tree += kLanes) {
    const int64_t count = std::min(kLanes, trees() - tree);
    int32_t places[kLanes], depth = 0;
    for (int64_t i = 0; i < kLanes; ++i) {
      const Root& root = roots_[size_t(tree + std::min(i, count - 1))];
      places[i] = root.place;
      depth = std::max(depth, root.depth);
    }
    walk(
        holds_at, [x](int64_t, int64_t feature) { return x[feature]; }, depth, places, checkpoints);
    for (int64_t i = 0; i < count; ++i) vote(places[i], votes, 0);
  }
}

/// Whether steps on transposed rows save more than the transposition costs.
template <class T>
bool TreeEvaluator<T>::transposes(int64_t width) const {
  constexpr int64_t kStepsPerMove = 4;
  return steps_ / kStepsPerMove >= width;
}

template <class T>
int64_t TreeEvaluator<T>::space(int64_t width, int64_t rows) const {
  return transposes(width) ? checked_mul(checked_mul(ceil_div(rows_together(rows), kLanes), kLanes), width) : 0;
}

template <class T>
void TreeEvaluator<T>::compute(const T* x, int64_t width, int64_t rows, TreeAggregate aggregate, T* space,
                               double* scores, bool* voted) const {
  const bool sums = aggregate == TreeAggregate::kSum || aggregate == TreeAggregate::kAverage;
  const bool add_only = sums && targets_ == 1;
  std::fill_n(scores, rows * targets_, 0.0);
  std::fill_n(voted, rows * targets_, add_only);
  Checkpoints checkpoints;
  const auto votes = [&](int64_t row) {
    return Votes{aggregate, add_only, scores + row * targets_, voted + row * targets_};
  };
  const int64_t together = rows_together(rows);
  with_rule([&](const auto& holds_at) {
    if (together > 0 && transposes(width)) {
      walk_transposed(holds_at, x, width, together, space, votes(0), checkpoints);
    } else {
      walk_rows(holds_at, x, width, together, votes(0), checkpoints);
    }
    for (int64_t r = together; r < rows; ++r) walk_row(holds_at, x + r * width, votes(r), checkpoints);
  });
  if (aggregate != TreeAggregate::kAverage || roots_.empty()) return;
  for (int64_t i = 0; i < rows * targets_; ++i) scores[i] /= double(roots_.size());
}

template class TreeEvaluator<float>;
template class TreeEvaluator<double>;

template <>
std::shared_ptr<const TreeEvaluator<float>> TreeModel::evaluator() const {
  const std::lock_guard lock(mutex_);
  if (!narrow_) narrow_ = std::make_shared<TreeEvaluator<float>>(spec_);
  return narrow_;
}

template <>
std::shared_ptr<const TreeEvaluator<double>> TreeModel::evaluator() const {
  const std::lock_guard lock(mutex_);
  if (!wide_) wide_ = std::make_shared<TreeEvaluator<double>>(spec_);
  return wide_;
}

}  // namespace linnet

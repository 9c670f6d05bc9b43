#include "traditionalml/tree_evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "partition/checkpoints.h"

namespace linnet {

template <class T>
TreeEvaluator<T>::TreeEvaluator(const TreeSpec& spec) : targets_(spec.targets) {
  for (const TreeSpec::Node& node : spec.nodes) add_node(node, int32_t(nodes_.size()));
  for (const int64_t root : spec.roots) roots_.push_back(int32_t(root));
  for (const std::vector<double>& set : spec.sets) {
    std::vector<T>& sorted = sets_.emplace_back(set.begin(), set.end());
    std::sort(sorted.begin(), sorted.end());
  }
  if (!sets_.empty()) {
    for (const TreeSpec::Node& node : spec.nodes) set_of_.push_back(node.set);
  }
  add_votes(spec);
}

template <class T>
void TreeEvaluator<T>::add_node(const TreeSpec::Node& from, int32_t place) {
  using Mode = TreeSpec::Mode;
  if (from.mode == Mode::kLeaf) {
    nodes_.push_back({0, 0, {place, place}});
    rules_.push_back(Rule::kLeq);
    return;
  }
  const Mode mode = from.mode;
  const bool swapped = mode == Mode::kGte || mode == Mode::kGt || mode == Mode::kNeq;
  const bool below = mode == Mode::kLt || mode == Mode::kGte;
  const bool nan = from.nan_is_true != swapped;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T threshold = T(from.threshold);
  if (below)
    threshold = threshold == -kInfinity ? std::numeric_limits<T>::quiet_NaN() : std::nextafter(threshold, -kInfinity);
  const auto yes = int32_t(from.true_child), no = int32_t(from.false_child);
  nodes_.push_back({threshold, uint32_t(from.feature) << 1 | uint32_t(nan), {swapped ? yes : no, swapped ? no : yes}});
  rules_.push_back(mode == Mode::kMember                     ? Rule::kMember
                   : mode == Mode::kEq || mode == Mode::kNeq ? Rule::kEq
                                                             : Rule::kLeq);
  only_leq_ = only_leq_ && rules_.back() == Rule::kLeq;
  nan_matters_ = nan_matters_ || nan;
}

template <class T>
void TreeEvaluator<T>::add_votes(const TreeSpec& spec) {
  first_vote_.resize(nodes_.size() + 1);
  sum_.resize(nodes_.size());
  for (const TreeSpec::Vote& vote : spec.votes) {
    ++first_vote_[size_t(vote.leaf) + 1];
    sum_[size_t(vote.leaf)] += vote.weight;
  }
  std::partial_sum(first_vote_.begin(), first_vote_.end(), first_vote_.begin());
  std::vector<int32_t> next = first_vote_;
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
  const std::vector<T>& set = sets_[set_of_[size_t(place)]];
  return std::binary_search(set.begin(), set.end(), x);
}

template <class T>
void TreeEvaluator<T>::walk(const T* const* x, int64_t count, int32_t* places, Checkpoints& checkpoints) const {
  const Node* nodes = nodes_.data();
  const auto step_all = [&](auto holds_at) {
    for (int32_t moved = 1; moved != 0;) {
      moved = 0;
      checkpoints.add(2 * kLanes);
      for (int64_t i = 0; i < count; ++i) {
        const Node& node = nodes[places[i]];
        const int32_t next = node.children[holds_at(node, places[i], x[i][node.feature >> 1])];
        moved |= next ^ places[i];
        places[i] = next;
      }
    }
  };
  if (!only_leq_) return step_all([&](const Node& node, int32_t place, T value) { return holds(node, place, value); });
  if (!nan_matters_) return step_all([](const Node& node, int32_t, T value) { return value <= node.threshold; });
  step_all([](const Node& node, int32_t, T value) {
    return (value <= node.threshold) | (((node.feature & 1) != 0) & (value != value));
  });
}

template <class T>
void TreeEvaluator<T>::vote(int32_t place, TreeAggregate aggregate, double* scores, bool* voted) const {
  for (int32_t v = first_vote_[size_t(place)]; v < first_vote_[size_t(place) + 1]; ++v) {
    const auto [target, weight] = votes_[size_t(v)];
    double& score = scores[target];
    if (!voted[target]) {
      score = weight;
    } else if (aggregate == TreeAggregate::kMin) {
      score = std::min(score, weight);
    } else if (aggregate == TreeAggregate::kMax) {
      score = std::max(score, weight);
    } else {
      score += weight;
    }
    voted[target] = true;
  }
}

template <class T>
void TreeEvaluator<T>::compute(const T* x, int64_t width, int64_t rows, TreeAggregate aggregate, double* scores,
                               bool* voted) const {
  const bool sums = aggregate == TreeAggregate::kSum || aggregate == TreeAggregate::kAverage;
  const bool add_only = sums && targets_ == 1;
  std::fill_n(scores, rows * targets_, 0.0);
  std::fill_n(voted, rows * targets_, add_only);
  const T* from[kLanes];
  int32_t places[kLanes];
  Checkpoints checkpoints;
  const int64_t together = kLanes / std::clamp<int64_t>(rows, 1, kLanes);
  for (int64_t tree = 0; tree < trees(); tree += together) {
    const int64_t tree_end = std::min(trees(), tree + together);
    for (int64_t begin = 0; begin < rows; begin += kLanes) {
      const int64_t end = std::min(rows, begin + kLanes);
      int64_t count = 0;
      for (int64_t t = tree; t < tree_end; ++t) {
        for (int64_t r = begin; r < end; ++r, ++count) {
          from[count] = x + r * width;
          places[count] = roots_[size_t(t)];
        }
      }
      walk(from, count, places, checkpoints);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t r = begin + i % (end - begin);
        if (add_only) {
          scores[r] += sum_[size_t(places[i])];
        } else {
          vote(places[i], aggregate, scores + r * targets_, voted + r * targets_);
        }
      }
    }
  }
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

#include "text/ngram_pool.h"

#include <algorithm>
#include <bit>

#include "partition/checkpoints.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kEdgeWork = 16;  // The work to look up a token or what follows it.
constexpr int64_t kMostTokens = int64_t{1} << 31;
constexpr uint64_t kNearEdges = 1 << 15;  // The most edges that are looked up in an array.

Tensor read_pool(const NodeSpec& node) {
  const auto* strings = node.find<std::vector<std::string>>("pool_strings");
  const auto* ints = node.find<Ints>("pool_int64s");
  require_exactly_one({strings && !strings->empty(), ints && !ints->empty()}, "pool_strings and pool_int64s");
  return strings && !strings->empty() ? Tensor::of(*strings) : Tensor::of(*ints);
}

/// Returns where the 1-grams, 2-grams, ... begin in the pool, followed by its size.
Ints read_begins(const NodeSpec& node, int64_t pool_size) {
  Ints begins = node.attr<Ints>("ngram_counts");
  begins.push_back(pool_size);
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const auto length = int64_t(i) + 1;
    const bool rises = begins[i] >= 0 && begins[i] <= begins[i + 1] && begins[i + 1] <= pool_size;
    if (!rises || (begins[i + 1] - begins[i]) % length != 0) {
      throw Error(ErrorKind::kModel, str("ngram_counts must rise to at most ", pool_size, ", the size of the pool, ",
                                         "and leave whole ", length, "-grams, got ", begins[i]));
    }
  }
  return begins;
}

}  // namespace

NgramPool::NgramPool(const NodeSpec& node)
    : shortest_(node.attr<int64_t>("min_gram_length")),
      longest_(node.attr<int64_t>("max_gram_length")),
      most_skips_(node.attr<int64_t>("max_skip_count")) {
  if (shortest_ < 1 || longest_ < shortest_) {
    throw Error(ErrorKind::kModel, str("lengths of n-grams must be 1 <= min_gram_length <= max_gram_length, got ",
                                       shortest_, " and ", longest_));
  }
  if (most_skips_ < 0) throw_value("max_skip_count", std::to_string(most_skips_), "non-negative");
  const Tensor pool = read_pool(node);
  strings_ = pool.dtype() == DType::kString;
  if (pool.size() >= kMostTokens) {
    throw Error(ErrorKind::kLimit, str("the pool must have less than ", kMostTokens, " tokens, got ", pool.size()));
  }
  tokens_ = std::make_unique<KeyTable>(pool);
  edges_ = NumberTable(pool.size());
  after_root_.assign(size_t(pool.size()), -1);
  CountedVector<int64_t> tokens(size_t(pool.size()));
  tokens_->find(pool, 0, pool.size(), tokens.data());
  token_bits_ = int(std::bit_width(uint64_t(*std::max_element(tokens.begin(), tokens.end()))));
  const Ints begins = read_begins(node, pool.size());
  const Ints& places = node.attr<Ints>("ngram_indexes");
  size_t ngram = 0;
  Checkpoints checkpoints;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const auto length = int64_t(i) + 1;
    for (int64_t at = begins[i]; at < begins[i + 1]; at += length, ++ngram) {
      if (ngram < places.size()) add(tokens.data() + at, length, places[ngram], checkpoints);
    }
  }
  edges_.finish(kNearEdges);
  require_length("ngram_indexes", places.size(), int64_t(ngram));
}

void NgramPool::add(const int64_t* tokens, int64_t length, int64_t coordinate, Checkpoints& checkpoints) {
  if (coordinate < 0) throw_value("ngram_indexes", std::to_string(coordinate), "non-negative");
  coordinates_ = std::max(coordinates_, checked_add(coordinate, 1));
  if (length < shortest_ || length > longest_) return;
  longest_added_ = std::max(longest_added_, length);
  int64_t at = 0;
  for (int64_t i = 0; i < length; ++i) {
    int64_t& next = edges_.at(edge(at, tokens[i]), checkpoints);
    if (next < 0) {
      next = std::ssize(places_);
      places_.emplace_back();
      places_[size_t(at)].has_edges = true;
      if (at == 0) after_root_[size_t(tokens[i])] = next;
    }
    at = next;
  }
  places_[size_t(at)].coordinate = coordinate;
}

void NgramPool::find_tokens(const Tensor& x, int64_t begin, int64_t n, int64_t* tokens) const {
  Checkpoints checkpoints;
  checkpoints.in_parts(n, kEdgeWork,
                       [&](int64_t i, int64_t end) { tokens_->find(x, begin + i, begin + end, tokens + i); });
}

void NgramPool::count(const int64_t* tokens, int64_t n, float* counts) const {
  Checkpoints checkpoints;
  checkpoints.in_parts(n, kEdgeWork, [&](int64_t begin, int64_t end) {
    for (; begin < end; ++begin) {
      if (tokens[begin] >= 0) count_from(tokens + begin, n - begin, 1, counts, checkpoints);
    }
  });
  if (longest_added_ < 2) return;
  // With a larger step, neither two tokens nor the shortest n-gram fit in the row.
  const int64_t most_steps = (n - 1) / std::max<int64_t>(1, shortest_ - 1);
  for (int64_t step = 2; step - 1 <= most_skips_ && step <= most_steps; ++step) {
    for (int64_t begin = 0; begin + step < n; ++begin) count_from(tokens + begin, n - begin, step, counts, checkpoints);
  }
}

void NgramPool::count_from(const int64_t* tokens, int64_t n, int64_t step, float* counts,
                           Checkpoints& checkpoints) const {
  int64_t at = 0;
  for (int64_t length = 1; length <= longest_ && (length - 1) * step < n; ++length) {
    checkpoints.add(kEdgeWork);
    at = next(at, tokens[(length - 1) * step]);
    if (at < 0) return;
    // Skips do not affect n-grams of one token.
    const Place& place = places_[size_t(at)];
    if (place.coordinate >= 0 && (length > 1 || step == 1)) ++counts[place.coordinate];
    if (!place.has_edges) return;
  }
}

}  // namespace linnet

#pragma once

#include <memory>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"
#include "traditionalml/key_table.h"

namespace linnet {

/// The n-grams of TfIdfVectorizer, as a tree whose edges are tokens.
class NgramPool {
 public:
  /// Reads the attributes pool_strings or pool_int64s, ngram_counts, ngram_indexes, min_gram_length, max_gram_length
  /// and max_skip_count. Throws Error(kModel) if they are inconsistent.
  explicit NgramPool(const NodeSpec& node);

  bool strings() const { return strings_; }
  /// max(ngram_indexes) + 1.
  int64_t coordinates() const { return coordinates_; }
  /// Writes the numbers of the tokens [begin, begin + n) of x; -1 for tokens that are in no n-gram.
  void find_tokens(const Tensor& x, int64_t begin, int64_t n, int64_t* tokens) const;
  /// Adds 1 to the coordinate of an n-gram of the pool for each of its occurrences in the n tokens.
  void count(const int64_t* tokens, int64_t n, float* counts) const;

 private:
  /// The key of the edge from a place of the tree along a token. Both are less than 2^31.
  uint64_t edge(int64_t from, int64_t token) const { return uint64_t(from) << token_bits_ | uint64_t(token); }

  struct Place {
    int64_t coordinate = -1;  ///< Of the n-gram that ends here; -1 if none does.
    bool has_edges = false;   ///< Whether edges lead from here.
  };

  /// Returns the place along a token from one that has edges; -1 if there is none.
  int64_t next(int64_t at, int64_t token) const {
    if (token < 0) return -1;
    return at == 0 ? after_root_[size_t(token)] : edges_.find(edge(at, token));
  }

  void add(const int64_t* tokens, int64_t length, int64_t coordinate, Checkpoints& checkpoints);
  void count_from(const int64_t* tokens, int64_t n, int64_t step, float* counts, Checkpoints& checkpoints) const;

  bool strings_ = false;
  int64_t coordinates_ = 0, shortest_ = 1, longest_ = 1, most_skips_ = 0;
  int64_t longest_added_ = 0;
  int token_bits_ = 0;  // The bits of the numbers of tokens.
  std::unique_ptr<KeyTable> tokens_;
  NumberTable edges_;
  CountedVector<Place> places_{Place()};  // The tree; the root is the first.
  CountedVector<int64_t> after_root_;     // The place along each token from the root; -1 if there is none.
};

}  // namespace linnet

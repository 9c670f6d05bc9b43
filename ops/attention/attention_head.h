#pragma once

#include <memory>

#include "attention/attention_kernel.h"
#include "partition/checkpoints.h"

namespace linnet {

/// The queries of all heads of one sample that share keys and values.
struct AttentionHead {
  KernelContext& context;
  HeadRows<float> k, v;
  int64_t b;
  int64_t kv_head;
  Checkpoints& checkpoints;
};

/// An algorithm for a float32 AttentionHead. Keeps a reference to the rule.
class HeadAlgorithm {
 public:
  HeadAlgorithm(const AttentionRule& rule, Isa isa);
  virtual ~HeadAlgorithm() = default;

  /// The number of independent parts of the work of a head.
  virtual int64_t parts() const { return 1; }
  /// Scratch of each worker, aligned to 64 bytes.
  virtual size_t scratch_bytes() const = 0;
  virtual void run(const AttentionHead& head, int64_t part, std::byte* scratch) const = 0;
  virtual std::string describe() const = 0;

 protected:
  const AttentionSizes& sizes() const { return rule_.sizes; }
  int64_t score_pitch() const { return pitch_of(sizes().kv_length); }
  int64_t q_pitch() const { return pitch_of(sizes().head_size); }
  /// A distance between rows of n elements that spreads them over the cache sets.
  static int64_t pitch_of(int64_t n);
  /// Writes rows of query head h from `first` on, multiplied by the scale, at distances of q_pitch().
  void scale_queries(const AttentionHead& head, int64_t h, int64_t first, int64_t rows, float* q) const;
  float* output_row(const AttentionHead& head, int64_t h, int64_t i) const;

  const AttentionRule& rule_;
  UnaryForm scale_;
  ScoreRows<float> rows_;
  HeadLayout q_layout_, y_layout_;
};

/// For few queries, such as single tokens in generation. Reads keys and values in place.
std::unique_ptr<HeadAlgorithm> make_few_queries(const AttentionRule& rule, Isa isa);
/// For more queries. Packs keys and values for the matrix product's micro-kernel, and uses them for blocks of queries
/// whose scores stay in the second-level cache. The number of parts depends on the number of workers, the results do
/// not.
std::unique_ptr<HeadAlgorithm> make_many_queries(const AttentionRule& rule, Isa isa, int workers);

}  // namespace linnet

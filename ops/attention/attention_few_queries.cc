#include <algorithm>

#include "attention/attention_head.h"
#include "kernels/attention.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

constexpr int64_t kFewQueriesChunks = 8;     // of the whole operator
constexpr int64_t kPartFloats = 128 * 1024;  // of keys and values, the minimum for a separate chunk
constexpr int64_t kBlockFloats = 8 * 1024;   // of keys or values, which stay in the first-level cache for all queries

constexpr int64_t kMultipliesPerNanosecond = 4;

/// Splits queries if there are few heads; every part reads all keys and values.
/// Scratch: scaled queries, their scores, a row of biases.
class FewQueries final : public HeadAlgorithm {
 public:
  FewQueries(const AttentionRule& rule, Isa isa)
      : HeadAlgorithm(rule, isa), attention_(kernels_for<AttentionKernels>(isa)) {
    const int64_t heads = std::max<int64_t>(1, sizes().batch * sizes().kv_heads);
    const int64_t worth = sizes().kv_length * (sizes().head_size + sizes().v_head_size) / kPartFloats;
    parts_ = std::max<int64_t>(1, std::min({queries(), kFewQueriesChunks / heads, worth}));
  }

  int64_t parts() const override { return parts_; }
  size_t scratch_bytes() const override {
    const int64_t rows = checked_mul(sizes().group(), sizes().q_length);
    const int64_t queries = checked_mul(rows, checked_add(q_pitch(), score_pitch()));
    return dtype_bytes(DType::kFloat32, checked_add(queries, sizes().kv_length));
  }

  void run(const AttentionHead& head, int64_t part, std::byte* scratch) const override {
    const Queries range{queries() * part / parts_, queries() * (part + 1) / parts_};
    auto* q = reinterpret_cast<float*>(scratch);
    float* scores = q + queries() * q_pitch();
    const AttentionSample sample = attention_sample(head.context, sizes(), head.b);
    const KeyRange keys = rule_.keys_of(0, sizes().q_length, sample.offset, sample.keys);
    for_queries(head, range,
                [&](int64_t query, int64_t h, int64_t i) { scale_queries(head, h, i, 1, q + query * q_pitch()); });
    multiply_keys(head, range, keys, q, scores);
    for_queries(head, range, [&](int64_t query, int64_t h, int64_t i) {
      float* bias = scores + queries() * score_pitch();
      rows_.finish(head.context, {head.b, h, i, 1, keys, scores + query * score_pitch(), score_pitch()}, bias,
                   head.checkpoints);
    });
    add_values(head, range, keys, scores);
  }

  std::string describe() const override { return "dot products"; }

 private:
  struct Queries {
    int64_t begin, end;
  };

  int64_t queries() const { return sizes().group() * sizes().q_length; }

  /// Calls f(query, head, position).
  template <class F>
  void for_queries(const AttentionHead& head, const Queries& range, F f) const {
    for (int64_t query = range.begin; query < range.end; ++query) {
      f(query, head.kv_head * sizes().group() + query / sizes().q_length, query % sizes().q_length);
    }
  }

  static int64_t block_rows(int64_t size) { return std::max<int64_t>(16, kBlockFloats / std::max<int64_t>(1, size)); }

  void multiply_keys(const AttentionHead& head, const Queries& range, const KeyRange& keys, const float* q,
                     float* scores) const {
    const int64_t block = block_rows(sizes().head_size);
    for (int64_t j = keys.begin; j < keys.end; j += block) {
      const float* k = head.k.row(head.b, head.kv_head, j);
      for (int64_t query = range.begin; query < range.end; ++query) {
        attention_.dot_rows(q + query * q_pitch(), k, head.k.layout.row, std::min(block, keys.end - j),
                            sizes().head_size, scores + query * score_pitch() + j);
      }
      head.checkpoints.add((range.end - range.begin) * block * sizes().head_size / kMultipliesPerNanosecond);
    }
  }

  void add_values(const AttentionHead& head, const Queries& range, const KeyRange& keys, const float* scores) const {
    const int64_t block = block_rows(sizes().v_head_size), n = sizes().v_head_size;
    for_queries(head, range, [&](int64_t, int64_t h, int64_t i) {
      float* y = output_row(head, h, i);
      std::fill(y, y + n, 0.0f);
    });
    for (int64_t j = keys.begin; j < keys.end; j += block) {
      const float* v = head.v.row(head.b, head.kv_head, j);
      for_queries(head, range, [&](int64_t query, int64_t h, int64_t i) {
        attention_.add_weighted_rows(scores + query * score_pitch() + j, v, head.v.layout.row,
                                     std::min(block, keys.end - j), n, output_row(head, h, i));
      });
      head.checkpoints.add((range.end - range.begin) * block * n / kMultipliesPerNanosecond);
    }
  }

  const AttentionKernels& attention_;
  int64_t parts_ = 1;
};

}  // namespace

std::unique_ptr<HeadAlgorithm> make_few_queries(const AttentionRule& rule, Isa isa) {
  return std::make_unique<FewQueries>(rule, isa);
}

}  // namespace linnet

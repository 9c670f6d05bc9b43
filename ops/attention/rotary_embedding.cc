#include <algorithm>
#include <array>

#include "attention/attention_geometry.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/rotary.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr const char* kSideBySide = "heads_side_by_side";
constexpr std::array kRotaryTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};

struct Rotation {
  int64_t batch, heads, length, size;
  int64_t rotated;  ///< number of values of a row that are rotated, from the first on
  bool joined_heads, interleaved, by_position;
  bool whole;          ///< the caches have one value per rotated value, not per pair
  int64_t cache_rows;  ///< dim 0 of the caches: positions, or samples (1: shared by all)

  int64_t half() const { return rotated / 2; }
  int64_t cache_size() const { return whole ? rotated : half(); }
};

class RotaryEmbeddingKernel final : public Kernel {
 public:
  RotaryEmbeddingKernel(const Rotation& rotation, const RotaryKernels& kernels)
      : r_(rotation),
        layout_(r_.joined_heads, r_.heads, r_.length, r_.size),
        rotate_(r_.interleaved ? kernels.neighbours : kernels.halves) {}

  void run(KernelContext& context) const override {
    const int64_t* ids = r_.by_position ? context.input(3).data<int64_t>() : nullptr;
    for (int64_t i = 0; ids && i < r_.batch * r_.length; ++i) check_position(ids[i]);
    parallel_items(context.executor(), r_.batch * r_.length, checked_mul(r_.heads, r_.size),
                   [&](int64_t token, int64_t end, int) {
                     while (token < end) {
                       const int64_t count = r_.joined_heads ? 1 : neighbours(ids, token, end);
                       rotate_tokens(context, token, count, ids ? ids[token] : cache_row(token));
                       token += count;
                     }
                   });
  }

 private:
  void check_position(int64_t position) const {
    if (position < 0 || position >= r_.cache_rows) {
      throw Error(ErrorKind::kShape, str("position_ids must be in [0,", r_.cache_rows, "), got ", position));
    }
  }

  /// The number of tokens of a sample, from this one on and before `end`, with consecutive positions.
  int64_t neighbours(const int64_t* ids, int64_t token, int64_t end) const {
    const int64_t most = std::min(end - token, r_.length - token % r_.length);
    if (!ids) return most;
    int64_t count = 1;
    while (count < most && ids[token + count] == ids[token] + count) ++count;
    return count;
  }

  int64_t cache_row(int64_t token) const { return r_.cache_rows == 1 ? token % r_.length : token; }

  /// Rotates consecutive tokens of one sample, whose angles are the rows of the caches from `row` on.
  void rotate_tokens(KernelContext& context, int64_t token, int64_t count, int64_t row) const {
    const std::ptrdiff_t angles = row * r_.cache_size();
    RotaryRows rows{.pitch = layout_.row,
                    .cos = context.input(1).data<float>() + angles,
                    .sin = context.input(2).data<float>() + angles,
                    .angle_pitch = r_.cache_size(),
                    .whole = r_.whole,
                    .count = count,
                    .pairs = r_.half()};
    for (int64_t h = 0; h < r_.heads; ++h) {
      const std::ptrdiff_t first = layout_.at(token / r_.length, h, token % r_.length);
      rows.x = context.input(0).data<float>() + first;
      rows.y = context.output(0).data<float>() + first;
      rotate_(rows);
      if (r_.rotated < r_.size) copy_rest(rows);
    }
  }

  void copy_rest(const RotaryRows& rows) const {
    for (int64_t i = 0; i < rows.count; ++i) {
      const float* x = rows.x + i * rows.pitch;
      std::copy(x + r_.rotated, x + r_.size, rows.y + i * rows.pitch + r_.rotated);
    }
  }

  Rotation r_;
  HeadLayout layout_;
  decltype(RotaryKernels::halves) rotate_;
};

/// RotaryEmbedding: rotates the first rotary_embedding_dim values of every row (0: all) in pairs: (c x1 - s x2, s x1 +
/// c x2), where c and s are cosines and sines from the caches.
/// - X, Y: float16/bfloat16/float32, [batch, heads, length, size], or [batch, length, heads * size] with num_heads
/// - interleaved: whether pairs are neighbours, else elements of the two halves
/// - position_ids: int64 [batch, length], rows of the caches of [positions, half], checked in each run; without it the
///   caches are [batch, length, half]
/// Computes in float32.
/// In the internal domain "linnet" the caches are [batch or 1, length, rotary_embedding_dim], with a cosine and a sine
/// for each value, as in models that write the formula: (c1 x1 - s1 x2, s2 x1 + c2 x2). X has rank 4, and is [batch,
/// length, heads, size] with heads_side_by_side.
/// Source: https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
class RotaryEmbedding final : public Op {
 public:
  explicit RotaryEmbedding(const NodeSpec& node)
      : whole_(node.domain == kInternalDomain),
        side_by_side_(whole_ && node.attr_or(kSideBySide, false)),
        interleaved_(node.attr_or("interleaved", false)),
        heads_(node.attr_or("num_heads", 0)),
        rotated_(node.attr_or("rotary_embedding_dim", 0)) {
    if (heads_ < 0) throw Error(ErrorKind::kModel, str("num_heads must not be negative, got ", heads_));
    if (rotated_ < 0) throw Error(ErrorKind::kModel, str("rotary_embedding_dim must not be negative, got ", rotated_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, whole_ ? 3 : 4);
    require_dtype_in(in[0], kRotaryTypes, "X");
    const bool by_position = has_input(in, 3);
    for (const size_t i : {size_t{1}, size_t{2}}) {
      require_same_dtype(in[0], in[i], "X and the caches");
      require_rank(in[i], by_position ? 2 : 3, "cos_cache and sin_cache");
    }
    if (by_position) {
      require_dtype(in[3], DType::kInt64, "position_ids");
      require_rank(in[3], 2, "position_ids");
    }
    if (in[0].has_rank()) check_dims(in);
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    Rotation r;
    r.joined_heads = x.rank() == 3 || side_by_side_;
    r.batch = x[0];
    r.heads = x.rank() == 3 ? heads_ : x[side_by_side_ ? 2 : 1];
    r.length = x[r.joined_heads ? 1 : 2];
    r.size = x.rank() == 3 ? x[2] / heads_ : x[3];
    r.rotated = rotated_ ? rotated_ : r.size;
    r.interleaved = interleaved_;
    r.by_position = in.has(3);
    r.whole = whole_;
    r.cache_rows = in.shape(1)[0];
    return std::make_unique<RotaryEmbeddingKernel>(r, kernels_for<RotaryKernels>(in.isa()));
  }

 private:
  void check_dims(std::span<const Fact> in) const {
    const Fact& x = in[0];
    if (whole_) require_rank(x, 4, "X");
    if (x.rank() != 3 && x.rank() != 4) throw Error(ErrorKind::kShape, str("X must have rank 3 or 4, got ", x));
    if (x.rank() == 3 && heads_ == 0) throw Error(ErrorKind::kModel, "num_heads must be given where X has rank 3");
    const Dim size = cache_size(x), length = x.dim(x.rank() == 3 || side_by_side_ ? 1 : 2);
    const bool by_position = has_input(in, 3);
    for (const size_t i : {size_t{1}, size_t{2}}) {
      if (!in[i].has_rank()) continue;
      merge_dim(in[i].dim(in[i].rank() - 1), size,
                str("the last dim of the caches and ", whole_ ? "" : "half of ", "what is rotated"));
      if (in[1].has_rank()) merge_dim(in[1].dim(0), in[i].dim(0), "dim 0 of cos_cache and sin_cache");
      const bool shared = whole_ && certainly_equal(in[i].dim(0), 1);
      if (!by_position) check_tokens(in[i], shared ? Dim(1) : x.dim(0), length, "the caches");
    }
    if (by_position && in[3].has_rank()) check_tokens(in[3], x.dim(0), length, "position_ids");
  }

  static void check_tokens(const Fact& fact, const Dim& batch, const Dim& length, const std::string& what) {
    merge_dim(fact.dim(0), batch, "the batch of X and " + what);
    merge_dim(fact.dim(1), length, "the length of X and " + what);
  }

  Dim cache_size(const Fact& x) const {
    const Dim size = x.dim(x.rank() - 1);
    const int64_t of_pair = whole_ ? 1 : 2;
    if (x.rank() == 3 && size.known() && size.value() % heads_ != 0) {
      throw Error(ErrorKind::kShape, str("the last dim of X must be a multiple of num_heads ", heads_, ", got ", size));
    }
    const Dim head_size = x.rank() == 3 ? floor_div(size, heads_) : size,
              rotated = rotated_ ? Dim(rotated_) : head_size;
    learn_at_least(head_size, rotated);
    if (head_size.known() && (rotated.value() % 2 != 0 || rotated.value() > head_size.value())) {
      throw Error(ErrorKind::kShape,
                  str("what is rotated must be even and at most the head size ", head_size, ", got ", rotated));
    }
    return floor_div(rotated, of_pair);
  }

  bool whole_, side_by_side_, interleaved_;
  int64_t heads_;    // 0 if not given
  int64_t rotated_;  // 0: all
};

}  // namespace

LINNET_REGISTER(rotary_embedding)(Registry& registry) {
  registry.add<RotaryEmbedding>("RotaryEmbedding", {.since = 23});
  registry.add<RotaryEmbedding>("RotaryEmbedding", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet

#include <algorithm>

#include "infer/checked_values.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int kLast = 0, kTotal = 1, kLength = 2, kPast = 3, kNew = 4;

/// The token counts of one sample.
struct CachedTokens {
  int64_t total;   ///< including the new ones
  int64_t before;  ///< excluding the new ones
};

class CachePositionsKernel final : public Kernel {
 public:
  explicit CachePositionsKernel(const CompileInput& in) : batch_(in.shape(kLast)[0]) {}

  void run(KernelContext& context) const override {
    const int64_t length = *context.input(kLength).data<int64_t>();
    for (int64_t b = 0; b < batch_; ++b) {
      const CachedTokens tokens = tokens_of(context, b);
      context.output(0).data<int64_t>()[b] = tokens.total;
      context.output(1).data<int64_t>()[b] = tokens.before;
      int64_t* position = context.output(2).data<int64_t>() + b * length;
      for (int64_t i = 0; i < length; ++i) position[i] = std::min(tokens.before + i, tokens.total - 1);
    }
  }

 private:
  static CachedTokens tokens_of(KernelContext& context, int64_t b) {
    const int64_t last = context.input(kLast).data<int32_t>()[b], total = *context.input(kTotal).data<int32_t>();
    require(last, 0, total - 1, "seqlens_k");
    const int64_t length = *context.input(kLength).data<int64_t>(), past = *context.input(kPast).data<int64_t>();
    int64_t tokens = std::min(length, last + 1);
    if (const Tensor& given = context.input(kNew)) {
      const int64_t most = tokens;
      tokens = given.data<int32_t>()[b];
      require(tokens, 0, most, "query_seqlens");
    }
    const int64_t before = last + 1 - tokens;
    require(before, 0, past, "the tokens before the query, of which past_key holds the keys,");
    require(checked_add(before, length), 0, std::max(past, total), "the end of the query's rows in the cache");
    return {last + 1, before};
  }

  static void require(int64_t value, int64_t least, int64_t most, const char* what) {
    if (value >= least && value <= most) return;
    throw Error(ErrorKind::kShape, str(what, " must be in [", least, ",", most, "], got ", value));
  }

  int64_t batch_;
};

/// CachePositions, of the internal domain "linnet": the positions of a query's tokens in a cache of keys and values.
/// Inputs:
/// - seqlens_k: int32 [batch] or [batch, 1], the number of tokens of each sample including the new ones, minus one
/// - total_sequence_length: int32, one element, at least the number of tokens of any sample
/// - sequence_length: int64 [1], the rows of the query
/// - past_length: int64 [1], the rows that the cache has already
/// - query_seqlens: int32 [batch], the number of rows of each sample that are tokens; default all, at most as many as
///   there are tokens. The rows after them are padding.
/// Outputs, int64:
/// - the tokens of each sample, [batch]
/// - the tokens before the query, [batch]
/// - the positions of the query's rows, [batch, sequence_length]; those of padding are the last token's
/// All values are checked.
class CachePositions final : public Op {
 public:
  explicit CachePositions(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 4, 5);
    require_dtype(in[kLast], DType::kInt32, "seqlens_k");
    require_one_element(in[kTotal], DType::kInt32, "total_sequence_length");
    require_one_element(in[kLength], DType::kInt64, "sequence_length");
    require_one_element(in[kPast], DType::kInt64, "past_length");
    Dim batch;
    if (in[kLast].has_rank()) {
      const Fact& fact = in[kLast];
      const bool column = fact.rank() == 2 && (!fact.dim(1).known() || fact.dim(1).value() == 1);
      if (column) learn_equal(fact.dim(1), 1);
      if (fact.rank() != 1 && !column) {
        throw Error(ErrorKind::kShape, str("seqlens_k must have the shape [batch], got ", fact));
      }
      batch = fact.dim(0);
    }
    if (has_input(in, kNew)) {
      require_dtype(in[kNew], DType::kInt32, "query_seqlens");
      require_rank(in[kNew], 1, "query_seqlens");
      if (in[kNew].has_rank()) batch = merge_dim(batch, in[kNew].dim(0), "the batch of seqlens_k and query_seqlens");
    }
    const Fact each(DType::kInt64, Dims{batch});
    return {each, each, Fact(DType::kInt64, Dims{batch, length_of(in[kLength])})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<CachePositionsKernel>(in); }
  std::vector<int> value_inputs() const override { return {kLength}; }

 private:
  static Dim length_of(const Fact& fact) {
    if (!fact.constant) return {};
    const int64_t length = *fact.constant.data<int64_t>();
    if (length < 0) throw Error(ErrorKind::kShape, str("sequence_length must not be negative, got ", length));
    return Dim(length);
  }
};

}  // namespace

LINNET_REGISTER(cache_positions)(Registry& registry) {
  registry.add<CachePositions>("CachePositions", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet

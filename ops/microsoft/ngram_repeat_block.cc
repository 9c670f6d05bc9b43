#include <algorithm>
#include <limits>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

class NGramRepeatBlockKernel final : public Kernel {
 public:
  NGramRepeatBlockKernel(const CompileInput& in, int64_t size)
      : length_(in.shape(0)[1]), words_(in.shape(1)[1]), size_(size) {}

  void run(KernelContext& context) const override {
    const int64_t* ids = context.input(0).data<int64_t>();
    const float* scores = context.input(1).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), context.input(1).shape()[0], checked_add(words_, length_),
                   [&](int64_t row, int64_t end, int) {
                     Checkpoints checkpoints;
                     for (; row < end; ++row) {
                       if (y != scores) std::copy_n(scores + row * words_, words_, y + row * words_);
                       block({ids + row * length_, size_t(length_)}, y + row * words_, checkpoints);
                       checkpoints.add(words_);
                     }
                   });
  }
  int in_place(int) const override { return 1; }

 private:
  /// Sets the score of every word that would repeat an n-gram of the row to -infinity.
  void block(std::span<const int64_t> ids, float* scores, Checkpoints& checkpoints) const {
    if (size_ > length_) return;
    const auto end_of_row = ids.last(size_t(size_ - 1));
    for (int64_t i = 0; i + size_ <= length_; ++i) {
      checkpoints.add(size_);
      if (!std::ranges::equal(ids.subspan(size_t(i), end_of_row.size()), end_of_row)) continue;
      const int64_t word = ids[size_t(i + size_ - 1)];
      if (word < 0 || word >= words_) {
        throw Error(ErrorKind::kShape, str("input_ids must be in [0,", words_, "), got ", word));
      }
      scores[word] = -std::numeric_limits<float>::infinity();
    }
  }

  int64_t length_, words_, size_;
};

/// NGramRepeatBlock: the scores of the next word, with -inf for words that would complete an n-gram of ngram_size words
/// that the row already contains.
/// - input_ids: int64 [batch, length]; scores, scores_out: float [batch, words]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.NGramRepeatBlock
class NGramRepeatBlock final : public Op {
 public:
  explicit NGramRepeatBlock(const NodeSpec& node) : size_(node.attr<int64_t>("ngram_size")) {
    if (size_ < 1) throw Error(ErrorKind::kModel, str("ngram_size must be positive, got ", size_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kInt64, "input_ids");
    require_dtype(in[1], DType::kFloat32, "scores");
    require_rank(in[0], 2, "input_ids");
    require_rank(in[1], 2, "scores");
    Fact scores = same_as(in[1]).front();
    if (in[0].has_rank() && in[1].has_rank()) {
      scores.dims->front() = merge_dim(in[0].dim(0), in[1].dim(0), "the batch of input_ids and scores");
    }
    return {scores};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<NGramRepeatBlockKernel>(in, size_);
  }

 private:
  int64_t size_;
};

}  // namespace

LINNET_REGISTER(ngram_repeat_block)(Registry& registry) {
  registry.add<NGramRepeatBlock>("NGramRepeatBlock", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet

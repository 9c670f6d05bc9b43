#include <algorithm>
#include <limits>

#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/reduce.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

class WordConvEmbeddingKernel final : public Kernel {
 public:
  explicit WordConvEmbeddingKernel(const CompileInput& in)
      : letters_(in.shape(0)[1]),
        filters_(in.shape(1)[0]),
        window_(in.shape(1)[2]),
        size_(in.shape(1)[3]),
        alphabet_(in.shape(3)[0]),
        dots_(kernels_for<ReduceKernels>(in.isa()).dots),
        tanh_(kernels_for<UnaryKernels>(in.isa()).tanh) {}

  void run(KernelContext& context) const override {
    const int32_t* words = context.input(0).data<int32_t>();
    float* y = context.output(0).data<float>();
    const int64_t work = checked_mul(checked_mul(letters_, filters_), checked_mul(window_, size_));
    parallel_items(context.executor(), context.input(0).shape()[0], work, [&](int64_t word, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; word < end; ++word) {
        auto* scratch = reinterpret_cast<float*>(context.scratch(worker));
        embed(context, {words + word * letters_, size_t(letters_)}, scratch, y + word * filters_);
        checkpoints.add(work);
      }
    });
  }

  /// Holds the embedded letters of a word, and the sums of all filters at one position.
  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, checked_add(checked_mul(letters_, size_), filters_));
  }

 private:
  /// The number of letters of the word that are not 0; 0 if the first letter is 0.
  int64_t length(std::span<const int32_t> word) const {
    for (const int32_t letter : word) {
      if (letter >= 0 && letter < alphabet_) continue;
      throw Error(ErrorKind::kShape, str("Sequence must be in [0,", alphabet_, "), got ", letter));
    }
    return word.empty() || word.front() == 0 ? 0 : std::ssize(word) - std::ranges::count(word, 0);
  }

  void embed(KernelContext& context, std::span<const int32_t> word, float* letters, float* y) const {
    const int64_t used = length(word), places = std::max(used, window_) - window_ + 1, n = window_ * size_;
    if (used == 0) return void(std::fill_n(y, filters_, 0.0f));
    const auto* embeddings = context.input(3).data<float>();
    for (int64_t i = 0; i < places + window_ - 1; ++i) {
      std::copy_n(embeddings + word[size_t(i)] * size_, size_, letters + i * size_);
    }
    const float *weights = context.input(1).data<float>(), *bias = context.input(2).data<float>();
    float* sums = letters + letters_ * size_;
    std::fill_n(y, filters_, -std::numeric_limits<float>::infinity());
    for (int64_t place = 0; place < places; ++place) {
      dots_(weights, filters_, n, letters + place * size_, n, sums);
      for (int64_t f = 0; f < filters_; ++f) y[f] = std::max(y[f], sums[f]);
    }
    for (int64_t f = 0; f < filters_; ++f) y[f] += bias[f];
    tanh_(y, y, filters_, 0, 0);
  }

  int64_t letters_, filters_, window_, size_, alphabet_;
  decltype(ReduceKernels::dots) dots_;
  UnaryForm tanh_;
};

/// WordConvEmbedding: for each word, a row of letters, Y[word, f] = tanh(B[f] + the maximum of filter f over the first
/// windows of its embedded letters). The number of windows is that which fits into the nonzero letters, at least one. A
/// word whose first letter is 0 gives 0 (undefined in ONNX Runtime).
/// - Sequence: int32 [words, letters]
/// - W: float [filters, 1, window, size], with a window of at most a row; B: float [filters]
/// - C: float [alphabet, size]; Y: float [words, filters]
/// - embedding_size, conv_window_size, char_embedding_size: equal to filters, window and size if given
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.WordConvEmbedding
class WordConvEmbedding final : public Op {
 public:
  explicit WordConvEmbedding(const NodeSpec& node)
      : filters_(dim_of(node, "embedding_size")),
        window_(dim_of(node, "conv_window_size")),
        size_(dim_of(node, "char_embedding_size")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 4, 4);
    require_dtype(in[0], DType::kInt32, "Sequence");
    for (const int i : {1, 2, 3}) require_dtype(in[size_t(i)], DType::kFloat32, kNames[i]);
    for (int i = 0; i < 4; ++i) require_rank(in[size_t(i)], kRanks[i], kNames[i]);
    const auto dim = [&](int i, int d) { return in[size_t(i)].has_rank() ? in[size_t(i)].dim(d) : Dim(); };
    merge_dim(dim(1, 1), 1, "the second dim of W and the channels of letters");
    merge_dim(merge_dim(dim(1, 3), size_, "W and char_embedding_size"), dim(3, 1), "the last dims of W and C");
    const Dim window = merge_dim(dim(1, 2), window_, "W and conv_window_size");
    if (window.known() && dim(0, 1).known() && window.value() > dim(0, 1).value()) {
      throw Error(ErrorKind::kShape, str("words of ", dim(0, 1), " letters are shorter than the window of ", window));
    }
    learn_at_least(dim(0, 1), window);
    const Dim filters = merge_dim(dim(1, 0), filters_, "W and embedding_size");
    return {Fact(DType::kFloat32, Dims{dim(0, 0), merge_dim(filters, dim(2, 0), "the filters of W and B")})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<WordConvEmbeddingKernel>(in); }

 private:
  static constexpr const char* kNames[] = {"Sequence", "W", "B", "C"};
  static constexpr int kRanks[] = {2, 4, 1, 2};

  static Dim dim_of(const NodeSpec& node, const char* name) {
    const auto* value = node.find<int64_t>(name);
    return value && *value > 0 ? Dim(*value) : Dim();
  }

  Dim filters_, window_, size_;
};

}  // namespace

LINNET_REGISTER(word_conv_embedding)(Registry& registry) {
  registry.add<WordConvEmbedding>("WordConvEmbedding", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet

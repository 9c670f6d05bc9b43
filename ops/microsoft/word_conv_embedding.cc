#include <algorithm>
#include <limits>
#include <utility>

#include "gemm/accuracy.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "infer/infer.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Multiplies windows of letters by all filters, as many at a time as a strip of a matrix product has rows.
class WordConvEmbeddingKernel final : public Kernel {
 public:
  explicit WordConvEmbeddingKernel(const CompileInput& in)
      : letters_(in.shape(0)[1]),
        filters_(in.shape(1)[0]),
        window_(in.shape(1)[2]),
        size_(in.shape(1)[3]),
        alphabet_(in.shape(3)[0]),
        product_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        tanh_(kernels_for<UnaryKernels>(in.isa()).tanh),
        panels_(choose_panels(product_, filters_, checked_mul(window_, size_))),
        taps_(std::clamp<int64_t>(kLongestSum / std::max<int64_t>(1, size_), 1, std::max<int64_t>(1, window_))),
        packed_size_(packed_size(panels_, window_, size_)) {
    const Tensor* w = in.constant(1);
    if (!w) return;
    packed_ = in.packed(*w, packed_form("words", panels_, {window_}), [&] {
      Tensor packed = in.packed_memory(DType::kFloat32, Shape{packed_size_});
      pack_weights(weights(w->data<float>()), panels_, packed.data<float>(), &in.executor());
      return packed;
    });
  }

  void run(KernelContext& context) const override {
    const int32_t* words = context.input(0).data<int32_t>();
    float* y = context.output(0).data<float>();
    const float* packed = packed_ ? packed_.data<float>() : pack(context);
    const int64_t multiplies = checked_mul(checked_mul(letters_, filters_), checked_mul(window_, size_));
    const int64_t work = ceil_div(multiplies, kMultipliesPerElement);
    parallel_items(context.executor(), context.input(0).shape()[0], work, [&](int64_t word, int64_t end, int worker) {
      Checkpoints checkpoints;
      Windows windows{context.input(3).data<float>(), packed, context.scratch(worker) + packed_bytes()};
      for (int64_t i = word; i < end; ++i) {
        add({words + i * letters_, size_t(letters_)}, y + i * filters_, windows);
        checkpoints.add(work);
      }
      multiply(windows);
      for (int64_t i = word; i < end; ++i) finish(context, letters_ ? words[i * letters_] : 0, y + i * filters_);
    });
  }

  /// Holds the filters unless they are constant, the addresses of letters, and the sums of all filters.
  size_t scratch_bytes() const override {
    return packed_bytes() + pointer_bytes() + dtype_bytes(DType::kFloat32, checked_mul(kMostStripRows, filters_));
  }

 private:
  /// Windows of words that are multiplied next, and the results of their words.
  struct Windows {
    const float *embeddings, *packed;
    std::byte* scratch;
    int count = 0;
    const int32_t* letters[kMostStripRows] = {};
    float* y[kMostStripRows] = {};
  };

  size_t packed_bytes() const { return packed_ ? 0 : aligned(dtype_bytes(DType::kFloat32, packed_size_)); }
  size_t pointer_bytes() const { return aligned(dtype_bytes(DType::kInt64, checked_mul(kMostStripRows, taps_))); }

  GemmWeights<float> weights(const float* w) const {
    return {.data = w,
            .taps = window_,
            .depth = size_,
            .columns = filters_,
            .tap_stride = size_,
            .depth_stride = 1,
            .column_stride = checked_mul(window_, size_)};
  }

  const float* pack(KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch());
    pack_weights(weights(context.input(1).data<float>()), panels_, packed, &context.executor());
    return packed;
  }

  /// The number of letters of the word that are not 0; 0 if the first letter is 0.
  int64_t length(std::span<const int32_t> word) const {
    for (const int32_t letter : word) {
      if (letter >= 0 && letter < alphabet_) continue;
      throw Error(ErrorKind::kShape, str("Sequence must be in [0,", alphabet_, "), got ", letter));
    }
    return word.empty() || word.front() == 0 ? 0 : std::ssize(word) - std::ranges::count(word, 0);
  }

  void add(std::span<const int32_t> word, float* y, Windows& windows) const {
    const int64_t used = length(word), places = used == 0 ? 0 : std::max(used, window_) - window_ + 1;
    std::fill_n(y, filters_, -std::numeric_limits<float>::infinity());
    for (int64_t place = 0; place < places; ++place) {
      windows.letters[windows.count] = word.data() + place;
      windows.y[windows.count++] = y;
      if (windows.count == product_.strip_rows) multiply(windows);
    }
  }

  void multiply(Windows& windows) const {
    const int rows = std::exchange(windows.count, 0);
    if (rows == 0) return;
    auto* pointers = reinterpret_cast<const float**>(windows.scratch);
    auto* sums = reinterpret_cast<float*>(windows.scratch + pointer_bytes());
    GemmStrip<GemmF32> s{.rows = rows, .depth = size_, .a = pointers, .panels = &panels_, .panel_end = panels_.count()};
    s.b = windows.packed;
    s.b_rows = panel_rows(window_, size_, 1);
    s.y = sums;
    s.y_pitch = filters_;
    int64_t tap = 0;
    do {
      s.taps = std::min(taps_, window_ - tap);
      s.b_row = tap * size_;
      s.accumulate = tap > 0;
      for (int64_t t = 0; t < s.taps; ++t) {
        for (int i = 0; i < rows; ++i) *pointers++ = windows.embeddings + windows.letters[i][tap + t] * size_;
      }
      pointers -= s.taps * rows;
      product_.strip(s);
    } while ((tap += taps_) < window_);
    for (int i = 0; i < rows; ++i, sums += filters_) {
      float* __restrict most = windows.y[i];
      for (int64_t f = 0; f < filters_; ++f) most[f] = std::max(most[f], sums[f]);
    }
  }

  void finish(KernelContext& context, int32_t first, float* y) const {
    if (first == 0) return void(std::fill_n(y, filters_, 0.0f));
    const auto* bias = context.input(2).data<float>();
    for (int64_t f = 0; f < filters_; ++f) y[f] += bias[f];
    tanh_(y, y, filters_, 0, 0);
  }

  int64_t letters_, filters_, window_, size_, alphabet_;
  GemmKernels<GemmF32> product_;
  UnaryForm tanh_;
  GemmPanels panels_;
  int64_t taps_;  ///< letters of a window whose products are added before they are joined to the sum
  int64_t packed_size_;
  Tensor packed_;  ///< the filters; empty unless they are constant
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

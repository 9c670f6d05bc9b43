#include <algorithm>
#include <utility>

#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "text/ngram_pool.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

constexpr DType kTypes[] = {DType::kString, DType::kInt32, DType::kInt64};

/// The transformation of the counts of a row.
struct Weighting {
  bool truncate = false;  ///< Whether counts above 1 become 1.
  /// Coordinates and their weights. Coordinates without a weight are unchanged.
  CountedVector<std::pair<int64_t, float>> weights;

  /// Sorts by coordinate and keeps only the last weight of each.
  void put_in_order() {
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    std::stable_sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto rest = std::unique(weights.rbegin(), weights.rend(), same);
    weights.erase(weights.begin(), rest.base());
  }

  void apply(float* counts) const {
    for (const auto& [coordinate, weight] : weights) {
      float& count = counts[coordinate];
      count = (truncate ? std::min(count, 1.0f) : count) * weight;
    }
  }
};

class TfIdfVectorizerKernel final : public Kernel {
 public:
  TfIdfVectorizerKernel(const CompileInput& in, std::shared_ptr<const NgramPool> pool,
                        std::shared_ptr<const Weighting> weighting)
      : rows_(rows_of(in.shape(0))), pool_(std::move(pool)), weighting_(std::move(weighting)) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    float* y = context.output(0).data<float>();
    const int64_t width = pool_->coordinates();
    parallel_items(context.executor(), rows_.count, rows_.width + width, [&](int64_t begin, int64_t end, int worker) {
      auto* tokens = reinterpret_cast<int64_t*>(context.scratch(worker));
      for (int64_t r = begin; r < end; ++r) {
        float* counts = y + r * width;
        pool_->find_tokens(x, r * rows_.width, rows_.width, tokens);
        std::fill_n(counts, width, 0.0f);
        pool_->count(tokens, rows_.width, counts);
        if (weighting_) weighting_->apply(counts);
      }
    });
  }

  size_t scratch_bytes() const override { return dtype_bytes(DType::kInt64, rows_.width); }

 private:
  Rows rows_;
  std::shared_ptr<const NgramPool> pool_;
  std::shared_ptr<const Weighting> weighting_;  // nullptr: the output is the counts.
};

/// TfIdfVectorizer: how often each n-gram of the pool occurs in a row of X, with up to max_skip_count tokens skipped
/// between its tokens (the same number everywhere). If n-grams share a coordinate, their counts are added, and the
/// weight of the last one applies.
/// mode: TF: the counts; IDF: the weight if it occurs; TFIDF: count * weight.
/// X: string (pool_strings), int32 or int64 (pool_int64s), [C] or [N, C].
/// Y: float32 [max(ngram_indexes) + 1] or [N, max(ngram_indexes) + 1].
/// Source: https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
class TfIdfVectorizer final : public Op {
 public:
  explicit TfIdfVectorizer(const NodeSpec& node) : pool_(std::make_shared<NgramPool>(node)) {
    const std::string mode = node.attr<std::string>("mode");
    if (mode != "TF" && mode != "IDF" && mode != "TFIDF") throw_value("mode", "'" + mode + "'", "TF, IDF or TFIDF");
    if (mode == "TF") return;
    const auto& places = node.attr<std::vector<int64_t>>("ngram_indexes");
    auto weights = attribute_list<float>(node, "weights");
    if (weights.empty()) weights.assign(places.size(), 1.0f);
    require_length("weights", weights.size(), int64_t(places.size()));
    auto weighting = std::make_shared<Weighting>();
    weighting->truncate = mode == "IDF";
    weighting->weights.reserve(places.size());
    for (size_t i = 0; i < places.size(); ++i) weighting->weights.emplace_back(places[i], weights[i]);
    weighting->put_in_order();
    weighting_ = std::move(weighting);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kTypes, "X");
    if ((in[0].dtype == DType::kString) != pool_->strings()) {
      throw Error(ErrorKind::kType, str("X must be ", pool_->strings() ? "string" : "int32 or int64",
                                        " as the pool is, got ", in[0].dtype));
    }
    if (!in[0].has_rank()) return {Fact(DType::kFloat32, std::nullopt)};
    Dims dims = *in[0].dims;
    if (dims.size() != 1) require_rank(in[0], 2, "X");
    dims.back() = pool_->coordinates();
    return {Fact(DType::kFloat32, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TfIdfVectorizerKernel>(in, pool_, weighting_);
  }

 private:
  std::shared_ptr<const NgramPool> pool_;
  std::shared_ptr<const Weighting> weighting_;  // nullptr: the output is the counts.
};

}  // namespace

LINNET_REGISTER(tf_idf_vectorizer)(Registry& registry) {
  registry.add<TfIdfVectorizer>("TfIdfVectorizer", {.since = 9});
}

}  // namespace linnet

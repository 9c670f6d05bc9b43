#include <algorithm>
#include <cmath>
#include <numeric>

#include "decoding/row_picker.h"
#include "decoding/search.h"
#include "decoding/store_scores.h"
#include "generator/random.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr SearchPlaces kSamplingPlaces{.repetition_penalty = 3,
                                       .vocab_mask = 4,
                                       .prefix_vocab_mask = 5,
                                       .attention_mask = 6,
                                       .presence_mask = 7,
                                       .seed = 8};

struct SamplingRules {
  explicit SamplingRules(const NodeSpec& node)
      : temperature(node.attr_or("temperature", 1.0F)),
        top_p(node.attr_or("top_p", 0.0F)),
        filter_value(node.attr_or("filter_value", -1e20F)),
        presence_penalty(node.attr_or("presence_penalty", 0.0F)),
        least_tokens(std::max<int64_t>(1, node.attr_or("min_tokens_to_keep", 0))),
        custom(node.attr_or("custom", 0) == 1) {
    if (!(temperature > 0)) throw Error(ErrorKind::kModel, str("temperature must be positive, got ", temperature));
  }

  float temperature, top_p, filter_value, presence_penalty;
  int64_t least_tokens;  // the minimum number of tokens to sample from
  bool custom;
};

/// Samples from the most probable tokens.
class TopPicker final : public RowPicker {
 public:
  TopPicker(const SearchAttributes& attributes, const SamplingRules& rules, int64_t rows, uint64_t seed)
      : RowPicker(attributes, rows), rules_(rules), stream_{.seed = seed} {}

 private:
  void choose(NextScores& scores, std::span<int32_t> tokens) override {
    Checkpoints checkpoints;
    order_.resize(size_t(scores.vocabulary()));
    sums_.resize(size_t(scores.vocabulary()));
    for (size_t row = 0; row < tokens.size(); ++row) {
      filter(scores.row(int64_t(row)), checkpoints);
      tokens[row] = int32_t(draw(scores.row(int64_t(row)), stream_.uniform(drawn_++), checkpoints));
    }
  }

  /// Sets all tokens to filter_value except the most probable ones: those within top_p, at least least_tokens.
  void filter(std::span<float> scores, Checkpoints& checkpoints) {
    std::replace_if(
        scores.begin(), scores.end(), [](float score) { return std::isnan(score); }, rules_.filter_value);
    std::iota(order_.begin(), order_.end(), 0);
    checkpoints.sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) {
      const float x = scores[size_t(a)], y = scores[size_t(b)];
      return x > y || (x == y && a < b);
    });
    const double total = add_up(scores, scores[size_t(order_.front())], checkpoints);
    const int64_t count = std::ssize(order_), least = rules_.custom ? 1 : std::min(rules_.least_tokens, count);
    for (int64_t i = least; i < count; ++i) {
      // The more probable tokens reach top_p without this one.
      const double before = sums_[size_t(i - 1)] / total;
      if (rules_.custom ? before > double(rules_.top_p) : before >= double(rules_.top_p)) {
        scores[size_t(order_[size_t(i)])] = rules_.filter_value;
      }
    }
    checkpoints.add(count);
  }

  int64_t draw(std::span<const float> scores, double uniform, Checkpoints& checkpoints) {
    const float top = *std::ranges::max_element(scores);
    std::iota(order_.begin(), order_.end(), 0);
    const double total = add_up(scores, top, checkpoints);
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), uniform * total);
    return std::min<int64_t>(found - sums_.begin(), std::ssize(sums_) - 1);
  }

  /// Sets sums_ to the cumulative sums of exp(score - top) of the tokens in order_, and returns the last one.
  double add_up(std::span<const float> scores, float top, Checkpoints& checkpoints) {
    double sum = 0;
    checkpoints.in_parts(std::ssize(order_), 16, [&](int64_t begin, int64_t end) {
      for (auto i = size_t(begin); i < size_t(end); ++i) {
        sums_[i] = sum += std::exp(double(scores[size_t(order_[i])]) - double(top));
      }
    });
    return sum;
  }

  SamplingRules rules_;
  RandomStream stream_;
  uint64_t drawn_ = 0;
  CountedVector<int64_t> order_;
  CountedVector<double> sums_;
};

class SamplingKernel final : public SearchKernel {
 public:
  SamplingKernel(const CompileInput& in, const SearchNode& node, const SamplingRules& rules)
      : SearchKernel(in, node), rules_(rules) {}

 private:
  void search(const SearchRun& run) const override {
    Tensor& found = run.context.allocate_output(0, {run.batch(), run.max_length});
    if (run.batch() == 0) {
      if (has_output(1)) run.context.allocate_output(1, {0, node().attributes.vocab_size});
      return;
    }
    NextScores scores(node().attributes, run.inputs, run.batch());
    scores.temperature = rules_.temperature;
    scores.presence_penalty = rules_.presence_penalty;
    Sequences sequences(run.prompts.values<int32_t>(), run.batch(), run.prompts.dim(1), 1);
    const uint64_t seed = run.inputs.at(kSamplingPlaces.seed)
                              ? uint64_t(run.inputs.integer(kSamplingPlaces.seed, "seed", INT32_MIN, 0))
                              : run.context.draw_seed();
    TopPicker picker(node().attributes, rules_, run.batch(), seed);
    extend(run, sequences, scores, picker);
    write_sequences(sequences, node().attributes.pad_token_id, found);
    if (has_output(1)) {
      Tensor& filtered = run.context.allocate_output(1, {run.batch(), scores.vocabulary()});
      for (int64_t i = 0; i < filtered.size(); ++i) store_score(filtered, i, scores.all()[size_t(i)]);
    }
  }

  SamplingRules rules_;
};

/// Sampling: continues each sequence by tokens sampled by their probabilities, until one is eos_token_id, or the
/// sequence has max_length tokens; the rest is pad_token_id. Samples only from the most probable tokens whose
/// probabilities together reach top_p, at least min_tokens_to_keep (custom: up to the first whose predecessors exceed
/// top_p). With a seed, all runs sample the same tokens, which differ from ONNX Runtime's; without one, the context's
/// seed is used. See SearchBodies for decoder, init_decoder and encoder, and NextScores for the rules that change
/// scores.
/// - input_ids: int32 [batch, length]; max_length, min_length, seed: int32 with one element
/// - repetition_penalty: float32/float16 with one element
/// - vocab_mask: int32 [vocabulary]; presence_mask, and prefix_vocab_mask for the first step: int32 [batch, vocabulary]
/// - attention_mask: int32, of the shape of input_ids; without it, pad_token_id is padding
/// - sequences: int32 [batch, max_length]
/// - filtered_logits: [batch, vocabulary], the scores from which the last tokens were sampled
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Sampling
class Sampling final : public Op {
 public:
  explicit Sampling(const NodeSpec& node) : node_(node, kSamplingPlaces), rules_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    node_.check_inputs(in, 2);
    const Dim batch = SearchNode::batch(in);
    return {Fact(DType::kInt32, Dims{batch, Dim()}), Fact(node_.score_dtype(in), Dims{batch, Dim()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<SamplingKernel>(in, node_, rules_);
  }
  bool deterministic() const override { return false; }

 private:
  SearchNode node_;
  SamplingRules rules_;
};

}  // namespace

LINNET_REGISTER(sampling)(Registry& registry) {
  registry.add<Sampling>("Sampling", {.since = 1, .domain = kMicrosoft, .own_inputs = 9, .declared_shapes = true});
}

}  // namespace linnet

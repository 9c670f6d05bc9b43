#include <algorithm>

#include "decoding/row_picker.h"
#include "decoding/search.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr SearchPlaces kGreedyPlaces{
    .repetition_penalty = 3, .vocab_mask = 4, .prefix_vocab_mask = 5, .attention_mask = 6};

class GreedyPicker final : public RowPicker {
 public:
  using RowPicker::RowPicker;

 private:
  void choose(NextScores& scores, std::span<int32_t> tokens) override {
    Checkpoints checkpoints;
    for (size_t row = 0; row < tokens.size(); ++row) {
      const std::span<float> of_row = scores.row(int64_t(row));
      tokens[row] = int32_t(highest(of_row));
      checkpoints.add(std::ssize(of_row));
    }
  }

  /// The first of the highest scores; NaN counts as the lowest.
  static size_t highest(std::span<const float> scores) {
    size_t best = 0;
    for (size_t i = 1; i < scores.size(); ++i) {
      if (scores[i] > scores[best] || (scores[best] != scores[best] && scores[i] == scores[i])) best = i;
    }
    return best;
  }
};

class GreedySearchKernel final : public SearchKernel {
 public:
  using SearchKernel::SearchKernel;

 private:
  void search(const SearchRun& run) const override {
    Tensor& found = run.context.allocate_output(0, {run.batch(), run.max_length});
    if (run.batch() == 0) return;
    NextScores scores(node().attributes, run.inputs, run.batch());
    Sequences sequences(run.prompts.values<int32_t>(), run.batch(), run.prompts.dim(1), 1);
    GreedyPicker picker(node().attributes, run.batch());
    extend(run, sequences, scores, picker);
    write_sequences(sequences, node().attributes.pad_token_id, found);
  }
};

/// GreedySearch: repeatedly continues each sequence by the most probable token, until that is eos_token_id, or the
/// sequence has max_length tokens; the rest is pad_token_id. See SearchBodies for decoder, init_decoder and encoder,
/// and NextScores for the rules that change scores.
/// - input_ids: int32 [batch, length]; max_length, min_length: int32 with one element
/// - repetition_penalty: float32/float16 with one element
/// - vocab_mask: int32 [vocabulary]; prefix_vocab_mask, for the first step: int32 [batch, vocabulary]
/// - attention_mask: int32, of the shape of input_ids; without it, pad_token_id is padding
/// - sequences: int32 [batch, max_length]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GreedySearch
class GreedySearch final : public Op {
 public:
  explicit GreedySearch(const NodeSpec& node) : node_(node, kGreedyPlaces) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    node_.check_inputs(in, 2);
    return {Fact(DType::kInt32, Dims{SearchNode::batch(in), Dim()})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<GreedySearchKernel>(in, node_); }

 private:
  SearchNode node_;
};

}  // namespace

LINNET_REGISTER(greedy_search)(Registry& registry) {
  registry.add<GreedySearch>("GreedySearch",
                             {.since = 1, .domain = kMicrosoft, .own_inputs = 7, .declared_shapes = true});
}

}  // namespace linnet

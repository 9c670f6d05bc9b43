#include <algorithm>
#include <functional>
#include <optional>

#include "decoding/beam_scorer.h"
#include "decoding/search.h"
#include "decoding/store_scores.h"
#include "kernels/kernels_for.h"
#include "kernels/softmax.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr SearchPlaces kBeamPlaces{.num_beams = 3,
                                   .num_return_sequences = 4,
                                   .length_penalty = 5,
                                   .repetition_penalty = 6,
                                   .vocab_mask = 7,
                                   .prefix_vocab_mask = 8,
                                   .attention_mask = 9,
                                   .decoder_input_ids = 10,
                                   .logits_processor = 11};
constexpr SearchPlaces kWhisperPlaces = [] {
  SearchPlaces places = kBeamPlaces;
  places.temperature = 14;
  return places;
}();

class BeamPicker final : public Picker {
 public:
  /// step_scores: [steps, batch, beams, vocabulary], allocated in the first step if they are wanted.
  using MakeScores = std::function<Tensor(int64_t vocabulary)>;

  BeamPicker(BeamScorer& scorer, MakeScores make) : scorer_(scorer), make_(std::move(make)) {}

  void pick(NextScores& scores, const Sequences& sequences) override {
    if (scores.vocabulary() < 2) throw Error(ErrorKind::kShape, "the vocabulary must have at least two tokens");
    scorer_.accumulate(scores.all());
    if (make_) store(scores);
    scorer_.pick(scores.all(), sequences);
  }
  std::span<const int64_t> rows() const override { return scorer_.rows(); }
  std::span<const int32_t> tokens() const override { return scorer_.tokens(); }
  bool done() const override { return scorer_.done(); }

 private:
  void store(NextScores& scores) {
    if (!step_scores_) step_scores_ = make_(scores.vocabulary());
    Checkpoints checkpoints;
    for (const float score : scores.all()) {
      store_score(step_scores_, stored_++, score);
      checkpoints.add(1);
    }
  }

  BeamScorer& scorer_;
  MakeScores make_;
  Tensor step_scores_;
  int64_t stored_ = 0;
};

struct BeamAttributes {
  bool early_stopping;
  std::optional<WhisperTokens> whisper;
};

class BeamSearchKernel final : public SearchKernel {
 public:
  BeamSearchKernel(const CompileInput& in, const SearchNode& node, const BeamAttributes& attributes)
      : SearchKernel(in, node), attributes_(attributes), log_softmax_(kernels_for<SoftmaxKernels>(in.isa()).log_rows) {}

 private:
  void search(const SearchRun& run) const override {
    const SearchInputs& in = run.inputs;
    const int64_t beams = in.integer(kBeamPlaces.num_beams, "num_beams", 1, 1);
    const int64_t best = in.integer(kBeamPlaces.num_return_sequences, "num_return_sequences", 1, 1);
    if (best > beams) {
      throw Error(ErrorKind::kShape, str("num_return_sequences must be at most num_beams, ", beams, ", got ", best));
    }
    Tensor& found = run.context.allocate_output(0, {run.batch(), best, run.max_length});
    const auto make_scores = [&](int64_t vocabulary) { return step_scores(run, beams, vocabulary); };
    if (run.batch() == 0) {
      if (has_output(1)) run.context.allocate_output(1, {0, best});
      if (has_output(2)) make_scores(node().attributes.vocab_size);
      return;
    }
    const SearchAttributes& attributes = node().attributes;
    BeamScorer scorer({attributes_.early_stopping, in.number(kBeamPlaces.length_penalty, "length_penalty", 1),
                       attributes.eos_token_id, attributes.pad_token_id},
                      run.batch(), beams);
    NextScores scores(attributes, in, run.batch(), log_softmax_);
    scores.temperature = temperature(in);
    scores.timestamps = timestamps(in);
    Sequences sequences(run.prompts.values<int32_t>(), run.batch(), run.prompts.dim(1), beams);
    BeamPicker picker(scorer, has_output(2) ? BeamPicker::MakeScores(make_scores) : nullptr);
    extend(run, sequences, scores, picker);
    scorer.finish(sequences);
    scorer.write_sequences(found);
    if (has_output(1)) scorer.write_scores(run.context.allocate_output(1, {run.batch(), best}));
  }

  /// As in ONNX Runtime, a temperature that is not positive counts as 1.
  float temperature(const SearchInputs& in) const {
    const float given = in.number(node().places.temperature, "temperature", 1);
    return given > 0 ? given : 1;
  }

  const WhisperTokens* timestamps(const SearchInputs& in) const {
    const int64_t processor = in.integer(kBeamPlaces.logits_processor, "logits_processor", 0, 0);
    if (processor == 0) return nullptr;
    if (processor == 1 && attributes_.whisper) return &*attributes_.whisper;
    throw Error(ErrorKind::kUnsupported, str("logits_processor must be 0, or 1 in WhisperBeamSearch, got ", processor));
  }

  /// The scores of all steps, initialised with 0 for steps that are not reached.
  static Tensor step_scores(const SearchRun& run, int64_t beams, int64_t vocabulary) {
    const int64_t steps = run.max_length - run.prompts.dim(1);
    Tensor& result = run.context.allocate_output(2, {steps, run.batch(), beams, vocabulary});
    auto* const bytes = static_cast<std::byte*>(result.raw());
    Checkpoints().in_parts(int64_t(result.bytes()), 1,
                           [&](int64_t begin, int64_t end) { std::fill(bytes + begin, bytes + end, std::byte{0}); });
    return result;
  }

  BeamAttributes attributes_;
  SoftmaxKernels::Rows log_softmax_;
};

/// BeamSearch: the best num_return_sequences continuations of each sequence, by the sums of their log probabilities,
/// found with num_beams beams at each step. A sequence ends before eos_token_id, or at max_length. See SearchBodies for
/// decoder, init_decoder and encoder, and NextScores for the rules that change scores.
/// - input_ids: int32 [batch, length]; for Whisper, float16/float32 features [batch, size, frames]
/// - max_length, min_length, num_beams, num_return_sequences: int32 with one element
/// - length_penalty, repetition_penalty: float32/float16 with one element
/// - vocab_mask: int32 [vocabulary]; prefix_vocab_mask, for the first step: int32 [batch, vocabulary]
/// - attention_mask: int32, of the shape of input_ids; without it, pad_token_id is padding (with an encoder, only
///   leading ones)
/// - decoder_input_ids, for Whisper: int32 [batch, length]
/// - sequences: int32 [batch, num_return_sequences, max_length]
/// - sequences_scores: [batch, num_return_sequences], scores: [max_length - length, batch, num_beams, vocabulary], of
///   the dtype of the penalties
/// Bodies whose past and present share a buffer, which are for GPUs, throw Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.BeamSearch
class BeamSearch : public Op {
 public:
  explicit BeamSearch(const NodeSpec& node) : BeamSearch(node, kBeamPlaces) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    node_.check_inputs(in, 5);
    const Dim batch = SearchNode::batch(in);
    const DType dtype = node_.score_dtype(in);
    return {Fact(DType::kInt32, Dims{batch, Dim(), Dim()}), Fact(dtype, Dims{batch, Dim()}),
            Fact(dtype, Dims{Dim(), batch, Dim(), Dim()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<BeamSearchKernel>(in, node_, attributes_);
  }

 protected:
  BeamSearch(const NodeSpec& node, const SearchPlaces& places)
      : node_(node, places), attributes_{node.attr_or("early_stopping", 0) == 1, {}} {}

  SearchNode node_;
  BeamAttributes attributes_;
};

/// WhisperBeamSearch: BeamSearch with bodies in Whisper's form, and additional inputs.
/// - logits_processor: 1 requests timestamps (see apply_timestamp_rules()), which requires all attributes of
///   WhisperTokens
/// - temperature: float32/float16 with one element, by which scores are divided
/// - cross_qk_layer_head, extra_decoding_ids: no effect without cross_qk
/// The outputs cross_qk and non_speech_probs throw Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.WhisperBeamSearch
class WhisperBeamSearch final : public BeamSearch {
 public:
  explicit WhisperBeamSearch(const NodeSpec& node) : BeamSearch(node, kWhisperPlaces) {
    if (node.attr_or("decoder_output_cross_qk", 0) != 0) {
      throw Error(ErrorKind::kUnsupported, "decoder_output_cross_qk is for GPUs only");
    }
    if (node.has("beginning_timestamp_token_id")) attributes_.whisper.emplace(node);
  }
};

}  // namespace

LINNET_REGISTER(beam_search)(Registry& registry) {
  registry.add<BeamSearch>("BeamSearch", {.since = 1, .domain = kMicrosoft, .own_inputs = 12, .declared_shapes = true});
  registry.add<WhisperBeamSearch>("WhisperBeamSearch",
                                  {.since = 1, .domain = kMicrosoft, .own_inputs = 15, .declared_shapes = true});
}

}  // namespace linnet

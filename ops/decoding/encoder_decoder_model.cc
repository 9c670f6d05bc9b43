#include <algorithm>
#include <numeric>

#include "decoding/language_model.h"

namespace linnet {
namespace {

class EncoderDecoderModel final : public LanguageModel {
 public:
  EncoderDecoderModel(const SearchBodies& bodies, BodyRunners& runners, SearchPrompt prompt,
                      RunEnvironment& environment)
      : bodies_(bodies),
        runners_(runners),
        prompt_(std::move(prompt)),
        environment_(environment),
        steps_(bodies, runners, bodies.first_self(), 0) {}

  const Tensor& start(const Sequences& sequences) override {
    std::vector<Tensor> inputs{prompt_.ids};
    if (has_mask()) inputs.push_back(mask_ = encoder_mask());
    if (bodies_.encoder_starts) inputs.push_back(prompts(sequences));
    inputs.insert(inputs.end(), prompt_.captured.begin(), prompt_.captured.end());
    encoded_ = runners_.first->run(inputs, environment_);
    if (bodies_.encoder_starts) {
      selves_ = encoded_.subspan(2, bodies_.selves);
      return encoded_[0];
    }
    CountedVector<int64_t> all(size_t(sequences.batch()));
    std::iota(all.begin(), all.end(), int64_t{0});
    expand(all, sequences.batch());
    inputs_[0] = prompts(sequences);
    for (size_t i = 0; i < bodies_.selves; ++i) inputs_[self(i)] = bodies_.empty_self(i, sequences.batch());
    const std::span<const Tensor> outputs = runners_.decoder.run(inputs_, environment_);
    selves_ = outputs.subspan(1, bodies_.selves);
    return outputs[0];
  }

  const Tensor& next(const Sequences& sequences, std::span<const int64_t> rows) override {
    if (started_) {
      steps_.reorder(rows, environment_);
    } else {
      CountedVector<int64_t> from(rows.begin(), rows.end());
      for (int64_t& row : from) row /= sequences.beams();
      steps_.begin(selves_, from, sequences.batch());
      expand(prompts_of(sequences), sequences.batch());
    }
    started_ = true;
    inputs_[0] = bodies_.whole_sequence ? all_tokens(sequences) : last_tokens(sequences);
    return steps_.run(inputs_, environment_);
  }

 private:
  bool has_mask() const { return bodies_.kind == SearchBodies::Kind::kT5; }
  size_t self(size_t i) const { return bodies_.first_self() + i; }

  /// The prompts of the decoder, one row each.
  static Tensor prompts(const Sequences& sequences) {
    Tensor ids(DType::kInt32, {sequences.batch(), sequences.length()});
    for (int64_t i = 0; i < sequences.batch(); ++i) {
      std::ranges::copy(sequences.row(checked_mul(i, sequences.beams())), ids.data<int32_t>() + i * sequences.length());
    }
    return ids;
  }

  /// The mask of the encoder's tokens. If none is given, excludes leading padding.
  Tensor encoder_mask() const {
    Tensor mask(DType::kInt32, prompt_.ids.shape());
    const int32_t* ids = prompt_.ids.data<int32_t>();
    const int64_t length = mask.dim(1);
    Checkpoints checkpoints;
    for (int64_t i = 0; i < mask.size(); ++i) {
      int32_t& value = mask.data<int32_t>()[i];
      const bool begun = i % length > 0 && (&value)[-1] != 0;
      value = prompt_.mask.empty() ? int32_t(begun || ids[i] != prompt_.pad_token_id) : prompt_.mask[size_t(i)];
      checkpoints.add(1);
    }
    return mask;
  }

  /// Expands the decoder's inputs that are the same at every step to these prompts.
  void expand(std::span<const int64_t> prompts, int64_t batch) {
    inputs_.assign(bodies_.first_self() + bodies_.selves, Tensor());
    if (has_mask()) inputs_[1] = gather_rows(mask_, 0, prompts, batch, "encoder_attention_mask");
    if (bodies_.hidden_states) {
      inputs_[bodies_.first_self() - 1] = gather_rows(encoded_[1], 0, prompts, batch, "encoder_hidden_states");
    }
    for (const Tensor& cross : encoded_.last(bodies_.selves)) {
      inputs_.push_back(gather_rows(cross, 0, prompts, batch, "an output of the encoder"));
    }
    inputs_.insert(inputs_.end(), prompt_.captured.begin(), prompt_.captured.end());
  }

  const SearchBodies& bodies_;
  BodyRunners& runners_;
  SearchPrompt prompt_;
  RunEnvironment& environment_;
  Tensor mask_;
  DecoderSteps steps_;
  std::span<const Tensor> encoded_, selves_;  // of start()
  std::vector<Tensor> inputs_;
  bool started_ = false;  // whether next() was called
};

}  // namespace

std::unique_ptr<LanguageModel> make_encoder_decoder_model(const SearchBodies& bodies, BodyRunners& runners,
                                                          SearchPrompt prompt, RunEnvironment& environment) {
  return std::make_unique<EncoderDecoderModel>(bodies, runners, std::move(prompt), environment);
}

}  // namespace linnet

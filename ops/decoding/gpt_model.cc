#include <algorithm>

#include "decoding/language_model.h"

namespace linnet {
namespace {

class GptModel final : public LanguageModel {
 public:
  GptModel(const SearchBodies& bodies, BodyRunners& runners, SearchPrompt prompt, RunEnvironment& environment)
      : bodies_(bodies),
        runners_(runners),
        prompt_(std::move(prompt)),
        environment_(environment),
        steps_(bodies, runners, 3, 1) {}

  const Tensor& start(const Sequences& sequences) override {
    const int64_t batch = sequences.batch(), length = sequences.length();
    inputs_ = {prompt_.ids, Tensor(DType::kInt32, {batch, length}), Tensor(DType::kInt32, {batch, length})};
    place_prompts(batch, length);
    for (size_t i = 0; i < bodies_.selves; ++i) inputs_.push_back(bodies_.empty_self(i, batch));
    inputs_.insert(inputs_.end(), prompt_.captured.begin(), prompt_.captured.end());
    outputs_ = (runners_.first ? *runners_.first : runners_.decoder).run(inputs_, environment_);
    return outputs_[0];
  }

  const Tensor& next(const Sequences& sequences, std::span<const int64_t> rows) override {
    if (started_) {
      steps_.reorder(rows, environment_);
    } else {
      CountedVector<int64_t> from(rows.begin(), rows.end());
      for (int64_t& row : from) row /= sequences.beams();
      steps_.begin(outputs_.subspan(1), from, sequences.batch());
    }
    started_ = true;
    inputs_[0] = last_tokens(sequences);
    place_next(sequences);
    return steps_.run(inputs_, environment_);
  }

 private:
  /// Sets position and mask of each token of the prompts: padding is at 0, the others count up.
  void place_prompts(int64_t batch, int64_t length) {
    const int32_t* ids = prompt_.ids.data<int32_t>();
    int32_t *positions = inputs_[1].data<int32_t>(), *mask = inputs_[2].data<int32_t>();
    Checkpoints checkpoints;
    used_.assign(size_t(batch), 0);
    for (int64_t i = 0; i < batch * length; ++i) {
      const bool padding = ids[i] == prompt_.pad_token_id;
      positions[i] = padding ? 0 : used_[size_t(i / length)]++;
      mask[i] = prompt_.mask.empty() ? int32_t(!padding) : prompt_.mask[size_t(i)];
      checkpoints.add(1);
    }
    prompt_mask_ = inputs_[2];
  }

  void place_next(const Sequences& sequences) {
    const int64_t rows = sequences.rows(), length = sequences.length(), given = prompt_mask_.dim(1);
    Tensor positions(DType::kInt32, {rows, 1}), mask(DType::kInt32, {rows, length});
    Checkpoints checkpoints;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t prompt = row / sequences.beams();
      positions.data<int32_t>()[row] = int32_t(used_[size_t(prompt)] + length - given - 1);
      int32_t* to = mask.data<int32_t>() + row * length;
      std::fill_n(std::copy_n(prompt_mask_.data<int32_t>() + prompt * given, given, to), length - given, 1);
      checkpoints.add(length);
    }
    inputs_[1] = std::move(positions);
    inputs_[2] = std::move(mask);
  }

  const SearchBodies& bodies_;
  BodyRunners& runners_;
  SearchPrompt prompt_;
  RunEnvironment& environment_;
  CountedVector<int32_t> used_;  // number of tokens of each prompt without padding
  Tensor prompt_mask_;
  std::vector<Tensor> inputs_;
  DecoderSteps steps_;
  std::span<const Tensor> outputs_;  // of start()
  bool started_ = false;             // whether next() was called
};

}  // namespace

std::unique_ptr<LanguageModel> make_gpt_model(const SearchBodies& bodies, BodyRunners& runners, SearchPrompt prompt,
                                              RunEnvironment& environment) {
  return std::make_unique<GptModel>(bodies, runners, std::move(prompt), environment);
}

}  // namespace linnet

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decoding/search_bodies.h"
#include "decoding/sequences.h"
#include "run/runner.h"
#include "run/stateful_run.h"

namespace linnet {

/// What runs the bodies of a search in one context.
struct BodyRunners {
  std::optional<Runner> first;  // see SearchBodies
  Runner decoder;
  StatefulRun steps;  // of the decoder, whose selves are states
};

/// The steps of a decoder, whose selves stay in the memory of its states.
class DecoderSteps {
 public:
  /// first_self: of the decoder's inputs. sample_axis: of a self, along which its samples are.
  DecoderSteps(const SearchBodies& bodies, BodyRunners& runners, size_t first_self, int sample_axis)
      : bodies_(bodies), runners_(runners), first_self_(first_self), sample_axis_(sample_axis) {}

  /// The selves of the first step, of which sample i is the one that was rows[i], of `known`.
  void begin(std::span<const Tensor> selves, std::span<const int64_t> rows, int64_t known);
  /// Sample i of a further step goes on from what was sample rows[i].
  void reorder(std::span<const int64_t> rows, RunEnvironment& environment);
  /// The logits. inputs: those of the decoder, selves left out.
  const Tensor& run(std::vector<Tensor>& inputs, RunEnvironment& environment);

 private:
  const SearchBodies& bodies_;
  BodyRunners& runners_;
  size_t first_self_;
  int sample_axis_;
};

/// What a search gives its bodies.
struct SearchPrompt {
  Tensor ids;                     ///< int32 [batch, length], or what an encoder takes in their place
  std::span<const int32_t> mask;  ///< of the shape of ids; empty: found from pad_token_id
  int32_t pad_token_id = 0;
  std::vector<Tensor> captured;  ///< the last inputs of each body
};

/// The logits of next tokens as the bodies of one run give them, which keep keys and values of the tokens so far.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// The logits of the tokens that follow the prompts of `sequences`: [batch, length, vocabulary], of which the last
  /// position counts.
  virtual const Tensor& start(const Sequences& sequences) = 0;
  /// Those of the tokens that follow all rows of `sequences`, each of which was row rows[i] before its last token:
  /// [rows, length, vocabulary]. What start() or next() returned before is gone.
  virtual const Tensor& next(const Sequences& sequences, std::span<const int64_t> rows) = 0;
};

std::unique_ptr<LanguageModel> make_gpt_model(const SearchBodies& bodies, BodyRunners& runners, SearchPrompt prompt,
                                              RunEnvironment& environment);
std::unique_ptr<LanguageModel> make_encoder_decoder_model(const SearchBodies& bodies, BodyRunners& runners,
                                                          SearchPrompt prompt, RunEnvironment& environment);

/// The rows of a tensor along an axis that `rows` names, in this order. Throws Error(kShape) unless it has `count` of
/// them; `what` is its name.
Tensor gather_rows(const Tensor& from, int axis, std::span<const int64_t> rows, int64_t count, const std::string& what);
/// For each row of sequences that prompt which it belongs to.
CountedVector<int64_t> prompts_of(const Sequences& sequences);
/// The last tokens of all rows as a decoder takes them, or all tokens.
Tensor last_tokens(const Sequences& sequences);
Tensor all_tokens(const Sequences& sequences);

}  // namespace linnet

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

/// The runners of a search's bodies in one context.
struct BodyRunners {
  std::optional<Runner> first;  // see SearchBodies
  Runner decoder;
  StatefulRun steps;  // of the decoder, whose selves are states
};

/// The steps of a decoder whose selves (see SearchBodies) stay in the memory of its states.
class DecoderSteps {
 public:
  /// first_self: index among the decoder's inputs. sample_axis: the axis of samples in a self.
  DecoderSteps(const SearchBodies& bodies, BodyRunners& runners, size_t first_self, int sample_axis)
      : bodies_(bodies), runners_(runners), first_self_(first_self), sample_axis_(sample_axis) {}

  /// Sets the selves of the first step. Sample i is sample rows[i] of `selves`, which have `known` samples.
  void begin(std::span<const Tensor> selves, std::span<const int64_t> rows, int64_t known);
  /// Makes sample i of the next step continue what was sample rows[i].
  void reorder(std::span<const int64_t> rows, RunEnvironment& environment);
  /// Runs the decoder and returns the logits. inputs: those of the decoder without selves.
  const Tensor& run(std::vector<Tensor>& inputs, RunEnvironment& environment);

 private:
  const SearchBodies& bodies_;
  BodyRunners& runners_;
  size_t first_self_;
  int sample_axis_;
};

/// The inputs that a search passes to its bodies.
struct SearchPrompt {
  Tensor ids;                     ///< int32 [batch, length], or features for an encoder
  std::span<const int32_t> mask;  ///< of the shape of ids; empty: derived from pad_token_id
  int32_t pad_token_id = 0;
  std::vector<Tensor> captured;  ///< the last inputs of each body
};

/// The logits of next tokens that the bodies of one run compute. Keeps the keys and values of the tokens so far.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// The logits of the tokens that follow the prompts of `sequences`: [batch, length, vocabulary]. Only those of the
  /// last position are relevant.
  virtual const Tensor& start(const Sequences& sequences) = 0;
  /// The logits of the tokens that follow all rows of `sequences`: [rows, length, vocabulary]. Row i was row rows[i]
  /// before its last token. Invalidates what start() or next() returned before.
  virtual const Tensor& next(const Sequences& sequences, std::span<const int64_t> rows) = 0;
};

std::unique_ptr<LanguageModel> make_gpt_model(const SearchBodies& bodies, BodyRunners& runners, SearchPrompt prompt,
                                              RunEnvironment& environment);
std::unique_ptr<LanguageModel> make_encoder_decoder_model(const SearchBodies& bodies, BodyRunners& runners,
                                                          SearchPrompt prompt, RunEnvironment& environment);

/// Gathers `rows` of a tensor along an axis, in this order. Throws Error(kShape) unless the tensor has `count` rows;
/// `what` is its name.
Tensor gather_rows(const Tensor& from, int axis, std::span<const int64_t> rows, int64_t count, const std::string& what);
/// The prompt to which each row of `sequences` belongs.
CountedVector<int64_t> prompts_of(const Sequences& sequences);
/// The last tokens of all rows in the form of a decoder's input, or all tokens.
Tensor last_tokens(const Sequences& sequences);
Tensor all_tokens(const Sequences& sequences);

}  // namespace linnet

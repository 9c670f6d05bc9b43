#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decoding/search_bodies.h"
#include "decoding/sequences.h"
#include "run/runner.h"

namespace linnet {

/// What runs the bodies of a search in one context.
struct BodyRunners {
  std::optional<Runner> first;  // see SearchBodies
  Runner decoder;
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

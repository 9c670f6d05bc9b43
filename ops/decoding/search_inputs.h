#pragma once

#include <span>

#include "linnet/op.h"

namespace linnet {

/// The input indices of a search's parameters; -1: the operator has no such input.
struct SearchPlaces {
  int max_length = 1, min_length = 2;
  int num_beams = -1, num_return_sequences = -1;
  int length_penalty = -1, repetition_penalty = -1, temperature = -1;
  int vocab_mask = -1, prefix_vocab_mask = -1, attention_mask = -1, presence_mask = -1;
  int decoder_input_ids = -1, logits_processor = -1, seed = -1;
};

/// The attributes of a search that apply to all its runs.
struct SearchAttributes {
  explicit SearchAttributes(const NodeSpec& node);

  int32_t eos_token_id, pad_token_id;
  int64_t no_repeat_ngram_size;  ///< 0: n-grams may repeat
  int64_t vocab_size;            ///< 0: as many tokens as there are logits
};

/// The token in an attribute. Throws Error(kModel) if it is not an int32.
int32_t token_attribute(const NodeSpec& node, const char* name, int64_t fallback);

/// The inputs of one run of a search, without those that its bodies capture. All functions throw Error(kShape) for a
/// parameter that is out of range.
class SearchInputs {
 public:
  SearchInputs(const KernelContext& context, const SearchPlaces& places, int own);

  const SearchPlaces& places() const { return places_; }
  /// The input at this index; empty if omitted.
  const Tensor& at(int place) const;
  int64_t integer(int place, const char* name, int64_t least, int64_t fallback) const;
  float number(int place, const char* name, float fallback) const;
  /// A mask of this shape; empty if omitted.
  std::span<const int32_t> mask(int place, const char* name, const Shape& shape) const;

 private:
  const KernelContext& context_;
  const SearchPlaces& places_;
  int own_;
};

/// Checks the known facts of the inputs in `places`, and of input_ids, which is int32 [batch, length], or of features.
void check_search_inputs(std::span<const Fact> in, const SearchPlaces& places, int own, bool features);

}  // namespace linnet

#include "decoding/search_inputs.h"

#include <array>
#include <limits>

#include "infer/infer.h"

namespace linnet {
namespace {

constexpr std::array kFloats{DType::kFloat32, DType::kFloat16};
constexpr std::array kInts{DType::kInt32};

void require_single(const Tensor& tensor, const char* name) {
  if (tensor.size() != 1) throw Error(ErrorKind::kShape, str(name, " must hold one element, got ", describe(tensor)));
}

}  // namespace

int32_t token_attribute(const NodeSpec& node, const char* name, int64_t fallback) {
  const int64_t token = node.attr_or(name, fallback);
  if (token < std::numeric_limits<int32_t>::min() || token > std::numeric_limits<int32_t>::max()) {
    throw Error(ErrorKind::kModel, str(name, " must be an int32, got ", token));
  }
  return int32_t(token);
}

SearchAttributes::SearchAttributes(const NodeSpec& node)
    : eos_token_id(token_attribute(node, "eos_token_id", node.attr<int64_t>("eos_token_id"))),
      pad_token_id(token_attribute(node, "pad_token_id", node.attr<int64_t>("pad_token_id"))),
      no_repeat_ngram_size(node.attr_or("no_repeat_ngram_size", 0)),
      vocab_size(std::max<int64_t>(0, node.attr_or("vocab_size", -1))) {
  if (no_repeat_ngram_size < 0) {
    throw Error(ErrorKind::kModel, str("no_repeat_ngram_size must not be negative, got ", no_repeat_ngram_size));
  }
}

SearchInputs::SearchInputs(const KernelContext& context, const SearchPlaces& places, int own)
    : context_(context), places_(places), own_(own) {}

const Tensor& SearchInputs::at(int place) const {
  static const Tensor absent;
  return place >= 0 && place < own_ ? context_.input(place) : absent;
}

int64_t SearchInputs::integer(int place, const char* name, int64_t least, int64_t fallback) const {
  const Tensor& tensor = at(place);
  if (!tensor) return fallback;
  require_single(tensor, name);
  const int64_t value = *tensor.data<int32_t>();
  if (value < least) throw Error(ErrorKind::kShape, str(name, " must be at least ", least, ", got ", value));
  return value;
}

float SearchInputs::number(int place, const char* name, float fallback) const {
  const Tensor& tensor = at(place);
  if (!tensor) return fallback;
  require_single(tensor, name);
  return tensor.dtype() == DType::kFloat16 ? float(*tensor.data<Half>()) : *tensor.data<float>();
}

std::span<const int32_t> SearchInputs::mask(int place, const char* name, const Shape& shape) const {
  const Tensor& tensor = at(place);
  if (!tensor) return {};
  if (!(tensor.shape() == shape)) {
    throw Error(ErrorKind::kShape, str(name, " must have the shape ", shape, ", got ", describe(tensor)));
  }
  return tensor.values<int32_t>();
}

void check_search_inputs(std::span<const Fact> in, const SearchPlaces& places, int own, bool features) {
  if (features) {
    require_dtype_in(in[0], kFloats, "input_ids");
    require_rank(in[0], 3, "input_ids");
  } else {
    require_dtype(in[0], DType::kInt32, "input_ids");
    require_rank(in[0], 2, "input_ids");
  }
  const auto check = [&](int place, const char* name, std::span<const DType> dtypes) {
    if (place >= 0 && place < own && has_input(in, place)) require_dtype_in(in[size_t(place)], dtypes, name);
  };
  check(places.max_length, "max_length", kInts);
  check(places.min_length, "min_length", kInts);
  check(places.num_beams, "num_beams", kInts);
  check(places.num_return_sequences, "num_return_sequences", kInts);
  check(places.length_penalty, "length_penalty", kFloats);
  check(places.repetition_penalty, "repetition_penalty", kFloats);
  check(places.vocab_mask, "vocab_mask", kInts);
  check(places.prefix_vocab_mask, "prefix_vocab_mask", kInts);
  check(places.attention_mask, "attention_mask", kInts);
  check(places.presence_mask, "presence_mask", kInts);
  check(places.decoder_input_ids, "decoder_input_ids", kInts);
  check(places.logits_processor, "logits_processor", kInts);
  check(places.temperature, "temperature", kFloats);
  check(places.seed, "seed", kInts);
}

}  // namespace linnet

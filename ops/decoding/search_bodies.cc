#include "decoding/search_bodies.h"

#include "linnet/tensor.h"

namespace linnet {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

GraphPtr optional_body(const NodeSpec& node, const char* name) {
  const auto* body = node.find<GraphPtr>(name);
  return body ? *body : nullptr;
}

SearchBodies::Kind kind_of(const NodeSpec& node) {
  const bool whisper = node.op_type == "WhisperBeamSearch";
  const int64_t type = node.attr_or("model_type", whisper ? 2 : 0);
  if (type < 0 || type > 2 || (whisper && type != 2)) {
    throw Error(ErrorKind::kModel, str("model_type must be ", whisper ? "2" : "0, 1 or 2", ", got ", type));
  }
  return SearchBodies::Kind(type);
}

size_t own_inputs(const Graph& body, size_t captures, const char* name) {
  if (body.inputs().size() < captures) throw Error(ErrorKind::kModel, str(name, " has too few inputs"));
  return body.inputs().size() - captures;
}

const Fact& input_fact(const Graph& body, size_t i) { return body.fact(body.inputs()[i]); }

void require_int32(const Graph& body, size_t first, size_t end, const char* name) {
  for (size_t i = first; i < end; ++i) {
    const Fact& fact = input_fact(body, i);
    if (!fact.present() || fact.dtype == DType::kInt32) continue;
    throw Error(ErrorKind::kType, str("input ", i, " of ", name, " must be int32, got ", fact));
  }
}

void require_floats(const Graph& body, size_t first, size_t end, const char* name) {
  for (size_t i = first; i < end; ++i) {
    const Fact& fact = input_fact(body, i);
    if (!fact.present() || fact.dtype == DType::kFloat32 || fact.dtype == DType::kFloat16) continue;
    throw Error(ErrorKind::kType, str("input ", i, " of ", name, " must be float32 or float16, got ", fact));
  }
}

/// Reports wrong counts. Bodies with one buffer of keys and values for all steps are ONNX Runtime's form for GPUs.
[[noreturn]] void throw_counts(const Graph& body, size_t own, const char* name, const char* wanted) {
  const bool shared = own > 0 && input_fact(body, own - 1).dtype == DType::kInt32 && own > 4;
  if (shared) {
    throw Error(
        ErrorKind::kUnsupported,
        str(name, " takes past_sequence_length: models whose past and present share a buffer run on GPUs only"));
  }
  throw Error(ErrorKind::kModel,
              str(name, " must have ", wanted, ", has ", own, " inputs and ", body.outputs().size(), " outputs"));
}

}  // namespace

SearchBodies::SearchBodies(const NodeSpec& node)
    : kind(kind_of(node)),
      decoder(node.attr<GraphPtr>("decoder")),
      first(optional_body(node, kind == Kind::kGpt ? "init_decoder" : "encoder")),
      captures(size_t(node.captures)) {
  if (has_encoder() && !first) throw Error(ErrorKind::kModel, "the attribute encoder is missing");
  has_encoder() ? check_encoder_decoder() : check_gpt();
}

void SearchBodies::check_gpt() {
  const auto check = [&](const Graph& body, const char* name) {
    const size_t own = own_inputs(body, captures, name), outputs = body.outputs().size();
    if (outputs < 2 || own != outputs + 2) throw_counts(body, own, name, "2 or more outputs and 2 inputs more");
    require_int32(body, 0, 3, name);
    require_floats(body, 3, own, name);
  };
  check(*decoder, "decoder");
  if (first) check(*first, "init_decoder");
  if (first && first->outputs().size() != decoder->outputs().size()) {
    throw Error(ErrorKind::kModel, "init_decoder and decoder must have as many outputs as one another");
  }
  selves = decoder->outputs().size() - 1;
}

void SearchBodies::check_encoder_decoder() {
  const size_t mask = kind == Kind::kT5 ? 1 : 0;
  const size_t own = own_inputs(*decoder, captures, "decoder"), outputs = decoder->outputs().size();
  selves = outputs - 1;
  hidden_states = own == 2 + mask + 2 * selves;
  if (outputs < 3 || selves % 2 != 0 || own < 1 + mask + 2 * selves || own > 2 + mask + 2 * selves) {
    throw_counts(*decoder, own, "decoder", "1 + 2 * layers outputs and 4 * layers inputs besides the first ones");
  }
  if (input_fact(*decoder, own - 1).dtype == DType::kInt32) throw_counts(*decoder, own, "decoder", "");
  require_int32(*decoder, 0, 1 + mask, "decoder");
  require_floats(*decoder, 1 + mask, own, "decoder");
  const Fact& ids = input_fact(*decoder, 0);
  whole_sequence = !(ids.has_rank() && ids.rank() == 2 && certainly_equal(ids.dim(1), 1));
  const size_t encoder_own = own_inputs(*first, captures, "encoder"), given = first->outputs().size();
  encoder_starts = encoder_own == 2 + mask;
  if (encoder_own < 1 + mask || encoder_own > 2 + mask || given != (encoder_starts ? 2 + 2 * selves : selves)) {
    throw_counts(*first, encoder_own, "encoder", "the outputs that the decoder takes");
  }
  if (hidden_states && !encoder_starts) {
    throw Error(ErrorKind::kModel, "decoder takes encoder_hidden_states, which encoder does not give");
  }
  require_int32(*first, kind == Kind::kT5 ? 0 : 1, encoder_own, "encoder");
}

DType SearchBodies::self_dtype(size_t i) const {
  const Fact& fact = input_fact(*decoder, (has_encoder() ? first_self() : 3) + i);
  return fact.present() ? fact.dtype : DType::kFloat32;
}

Tensor SearchBodies::empty_self(size_t i, int64_t batch) const {
  const Fact& fact = input_fact(*decoder, (has_encoder() ? first_self() : 3) + i);
  const int pairs = has_encoder() ? 0 : 1;  // keys and values in one tensor
  if (!fact.has_rank() || fact.rank() != 4 + pairs || !fact.dim(1 + pairs).known() || !fact.dim(3 + pairs).known()) {
    throw Error(ErrorKind::kModel,
                str("decoder must declare how many heads its past ", i, " has, and their size, as ",
                    pairs ? "[2, batch, heads, length, size]" : "[batch, heads, length, size]", ", declares ", fact));
  }
  const int64_t heads = fact.dim(1 + pairs).value(), size = fact.dim(3 + pairs).value();
  return Tensor(self_dtype(i), pairs ? Shape{2, batch, heads, 0, size} : Shape{batch, heads, 0, size});
}

}  // namespace linnet

#include "decoding/search.h"

#include <algorithm>

#include "controlflow/body.h"
#include "infer/infer.h"
#include "run/value_infos.h"

namespace linnet {
namespace {

struct SearchState final : KernelState {
  SearchState(const std::shared_ptr<Program>& first, const std::shared_ptr<Program>& decoder)
      : inputs(input_infos(*decoder)),
        outputs(output_infos(*decoder)),
        runners{first ? std::optional<Runner>(first) : std::nullopt, Runner(decoder),
                StatefulRun(decoder, inputs, outputs)} {}

  std::vector<ValueInfo> inputs, outputs;
  BodyRunners runners;
};

}  // namespace

SearchNode::SearchNode(const NodeSpec& node, const SearchPlaces& wanted)
    : bodies(node),
      attributes(node),
      places(wanted),
      start_token(token_attribute(node, "decoder_start_token_id", -1)),
      own_inputs(node.num_inputs - node.captures) {
  if (bodies.kind == SearchBodies::Kind::kT5 && start_token < 0) {
    throw Error(ErrorKind::kModel,
                "decoder_start_token_id must be given, and not be negative, where there is an encoder");
  }
}

void SearchNode::check_inputs(std::span<const Fact> in, int least) const {
  require_inputs(in, least, int(in.size()));
  check_search_inputs(in, places, own_inputs, bodies.kind == SearchBodies::Kind::kWhisper);
}

DType SearchNode::score_dtype(std::span<const Fact> in) const {
  for (const int place : {places.length_penalty, places.repetition_penalty}) {
    if (place >= 0 && place < own_inputs && has_input(in, place)) return in[size_t(place)].dtype;
  }
  return DType::kFloat32;
}

SearchKernel::SearchKernel(const CompileInput& in, const SearchNode& node)
    : node_(node),
      first_(node.bodies.first ? body_program(node.bodies.first, in) : nullptr),
      decoder_(body_program(node.bodies.decoder, in)) {
  for (int i = 0; i < in.num_outputs(); ++i) wanted_.push_back(in.has_output(i));
}

std::unique_ptr<KernelState> SearchKernel::make_state() const {
  return std::make_unique<SearchState>(first_, decoder_);
}

size_t SearchKernel::bytes() const { return decoder_->bytes() + (first_ ? first_->bytes() : 0); }

void SearchKernel::run(KernelContext& context) const {
  const SearchInputs inputs(context, node_.places, node_.own_inputs);
  const Tensor begun = prompts(inputs);
  const int64_t length = inputs.integer(node_.places.max_length, "max_length", checked_add(begun.dim(1), 1), 0);
  search({context, inputs, begun, length});
}

Tensor SearchKernel::prompts(const SearchInputs& inputs) const {
  const Tensor& given = inputs.at(0);
  const Tensor& decoder_ids = inputs.at(node_.places.decoder_input_ids);
  const bool whisper = node_.bodies.kind == SearchBodies::Kind::kWhisper;
  Tensor result = whisper && decoder_ids ? decoder_ids : given;
  if (node_.bodies.has_encoder() && !(whisper && decoder_ids)) {
    if (node_.start_token < 0)
      throw Error(ErrorKind::kShape, "decoder_input_ids or decoder_start_token_id must be given");
    result = Tensor(DType::kInt32, {given.dim(0), 1});
    std::fill_n(result.data<int32_t>(), result.size(), node_.start_token);
  }
  if (result.rank() != 2 || result.dim(0) != given.dim(0) || result.dim(1) < 1) {
    throw Error(ErrorKind::kShape, str("there must be at least one token for each of the ", given.dim(0),
                                       " sequences, got ", linnet::describe(result)));
  }
  return result;
}

std::unique_ptr<LanguageModel> SearchKernel::model(const SearchRun& run) const {
  SearchPrompt prompt;
  prompt.ids = run.inputs.at(0);
  if (node_.bodies.kind != SearchBodies::Kind::kWhisper) {
    prompt.mask = run.inputs.mask(node_.places.attention_mask, "attention_mask", prompt.ids.shape());
  }
  prompt.pad_token_id = node_.attributes.pad_token_id;
  for (size_t i = 0; i < node_.bodies.captures; ++i) {
    prompt.captured.push_back(run.context.input(node_.own_inputs + int(i)));
  }
  BodyRunners& runners = static_cast<SearchState&>(*run.context.state()).runners;
  const auto make = node_.bodies.has_encoder() ? make_encoder_decoder_model : make_gpt_model;
  return make(node_.bodies, runners, std::move(prompt), run_environment(run.context));
}

void SearchKernel::extend(const SearchRun& run, Sequences& sequences, NextScores& scores, Picker& picker) const {
  const auto bodies = model(run);
  const Tensor* logits = &bodies->start(sequences);
  while (true) {
    run.context.check();
    scores.update(*logits, sequences, run.context.executor());
    picker.pick(scores, sequences);
    sequences.append(picker.rows(), picker.tokens());
    if (picker.done() || sequences.length() >= run.max_length) return;
    logits = &bodies->next(sequences, picker.rows());
  }
}

}  // namespace linnet

#include <algorithm>
#include <array>

#include "controlflow/body.h"
#include "controlflow/stack.h"
#include "infer/infer.h"
#include "registration.h"
#include "run/runner.h"

namespace linnet {
namespace {

// Inputs of the node: sequence_lens, states, scanned values, captures. Inputs of the body: the same without
// sequence_lens, the batch and the sequence axis. Outputs: states, one element of each scan output.
struct BatchedLayout {
  size_t states = 0, captures = 0;
  std::vector<bool> reverse;  // for each scanned value
  std::vector<Fact> outputs;  // of the body

  size_t scanned() const { return reverse.size(); }
};

struct BatchedState final : KernelState {
  BatchedState(const std::shared_ptr<Program>& body, const BatchedLayout& layout)
      : runners{Runner(body), Runner(body)},
        inputs(layout.states + layout.scanned() + layout.captures),
        outputs(layout.outputs.size()) {}

  // Two runners alternate, so that an iteration does not write the memory from which it reads its states.
  std::array<Runner, 2> runners;
  std::vector<Tensor> inputs, outputs;
};

Shape without_axes(const Shape& shape, int count) { return Shape(shape.dims().subspan(size_t(count))); }

/// The tensor with its first two axes merged.
Tensor merged(const Tensor& tensor) {
  Shape shape{tensor.shape().elements(0, 2)};
  for (int i = 2; i < tensor.rank(); ++i) shape.push_back(tensor.dim(i));
  return tensor.reshaped(shape);
}

class BatchedScanKernel final : public Kernel {
 public:
  BatchedScanKernel(std::shared_ptr<Program> body, BatchedLayout layout, int64_t batch, int64_t length)
      : body_(std::move(body)), layout_(std::move(layout)), batch_(batch), length_(length) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<BatchedState&>(*context.state());
    for (size_t i = 0; i < layout_.outputs.size(); ++i) state.outputs[i] = Tensor();
    for (int64_t b = 0; b < batch_; ++b) run_sequence(context, state, b);
    for (size_t i = 0; i < state.outputs.size(); ++i) {
      if (!state.outputs[i]) prepare_output(state, i, shape_or_zero(layout_.outputs[i]));
      context.set_output(int(i), state.outputs[i]);
    }
  }

  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<BatchedState>(body_, layout_); }
  size_t bytes() const override { return body_->bytes(); }

 private:
  void run_sequence(KernelContext& context, BatchedState& state, int64_t b) const {
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      const Tensor& given = context.input(int(i) + 1);
      const bool is_state = i < layout_.states, captured = i >= layout_.states + layout_.scanned();
      state.inputs[i] = captured ? given : Tensor(given.dtype(), without_axes(given.shape(), is_state ? 1 : 2));
      if (is_state) take_slice(given, 0, b, state.inputs[i]);
    }
    const int64_t length = sequence_length(context, b);
    for (int64_t t = 0; t < length; ++t) iterate(context, state, b, t, length);
    for (size_t i = 0; i < layout_.states; ++i) put(state, i, b, state.inputs[i]);
  }

  int64_t sequence_length(KernelContext& context, int64_t b) const {
    const Tensor& lengths = context.input(0);
    if (!lengths) return length_;
    const int64_t length = lengths.data<int64_t>()[b];
    if (length >= 0 && length <= length_) return length;
    throw Error(ErrorKind::kShape, str("sequence_lens must be between 0 and ", length_, ", got ", length));
  }

  void iterate(KernelContext& context, BatchedState& state, int64_t b, int64_t t, int64_t length) const {
    context.check();
    for (size_t i = 0; i < layout_.scanned(); ++i) {
      const size_t input = layout_.states + i;
      const int64_t at = layout_.reverse[i] ? length - 1 - t : t;
      take_slice(merged(context.input(int(input) + 1)), 0, b * length_ + at, state.inputs[input]);
    }
    const std::span<const Tensor> outputs = state.runners[size_t(t % 2)].run(state.inputs, run_environment(context));
    for (size_t i = 0; i < layout_.states; ++i) state.inputs[i] = outputs[i];
    for (size_t i = layout_.states; i < outputs.size(); ++i) put(state, i, b * length_ + t, outputs[i]);
  }

  /// Writes the final states of a sequence, or an element of a scan output, to output i.
  void put(BatchedState& state, size_t i, int64_t at, const Tensor& value) const {
    Tensor& output = state.outputs[i];
    if (!output) prepare_output(state, i, value.shape());
    if (!(without_axes(output.shape(), i < layout_.states ? 1 : 2) == value.shape())) {
      throw Error(ErrorKind::kShape, str("output ", i, " of the body changes its shape to ", value.shape()));
    }
    Tensor target = i < layout_.states ? output : merged(output);
    put_slice(value, 0, at, target);
  }

  void prepare_output(BatchedState& state, size_t i, const Shape& element) const {
    const Shape sequence = i < layout_.states ? element : with_axis(element, 0, length_);
    state.outputs[i] = zeros(layout_.outputs[i].dtype, with_axis(sequence, 0, batch_));
  }

  std::shared_ptr<Program> body_;
  BatchedLayout layout_;
  int64_t batch_, length_;
};

/// Scan of opset 8: for each sequence of a batch, runs its body for each element, carrying states and stacking scan
/// outputs.
/// - sequence_lens: int64 [batch], may be omitted
/// - states: [batch, ...]; scanned values: [batch, length, ...]
/// - outputs: states [batch, ...], scan outputs [batch, length, ...] with zeros beyond a sequence's length
/// - directions: with 1, a value is scanned from the end of its sequence
/// Source: https://onnx.ai/onnx/operators/onnx__Scan.html
class BatchedScan final : public Op {
 public:
  explicit BatchedScan(const NodeSpec& node) : body_(node.attr<GraphPtr>("body")), inputs_(node.num_inputs) {
    const auto scanned = node.attr<int64_t>("num_scan_inputs");
    const int64_t own = node.num_inputs - node.captures - 1;
    if (scanned < 1 || scanned > own) {
      throw Error(ErrorKind::kModel, str("num_scan_inputs must be between 1 and ", own, ", got ", scanned));
    }
    layout_.captures = size_t(node.captures);
    layout_.states = size_t(own - scanned);
    const auto directions = node.attr_or("directions", std::vector<int64_t>(size_t(scanned), 0));
    if (int64_t(directions.size()) != scanned) {
      throw Error(ErrorKind::kModel, str("directions must have ", scanned, " entries, got ", directions.size()));
    }
    for (const int64_t direction : directions) layout_.reverse.push_back(direction != 0);
    if (body_->outputs().size() < layout_.states) throw Error(ErrorKind::kModel, "body has too few outputs");
    require_body(*body_, size_t(node.num_inputs) - 1, body_->outputs().size(), "body");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    Dim batch, length;
    std::vector<Fact> out = elements(in, &batch, &length);
    for (size_t i = 0; i < out.size(); ++i) {
      if (!out[i].dims) continue;
      if (i >= layout_.states) out[i].dims->insert(out[i].dims->begin(), length);
      out[i].dims->insert(out[i].dims->begin(), batch);
    }
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    Dim batch, length;
    BatchedLayout layout = layout_;
    layout.outputs = elements(facts, &batch, &length);
    return std::make_unique<BatchedScanKernel>(body_program(body_, in), std::move(layout), batch.value(),
                                               length.value());
  }

 private:
  // The facts of the body's outputs, and the common batch and length of the inputs.
  std::vector<Fact> elements(std::span<const Fact> in, Dim* batch, Dim* length) const {
    if (int(in.size()) != inputs_)
      throw Error(ErrorKind::kModel, str("expected ", inputs_, " inputs, got ", in.size()));
    if (in[0].present()) {
      require_dtype(in[0], DType::kInt64, "sequence_lens");
      require_rank(in[0], 1, "sequence_lens");
      if (in[0].has_rank()) *batch = in[0].dim(0);
    }
    std::vector<Fact> given(in.begin() + 1, in.end());
    for (size_t i = 0; i < layout_.states + layout_.scanned(); ++i) {
      const bool is_state = i < layout_.states;
      given[i].constant = {};
      given[i].contents = nullptr;
      require_rank_at_least(given[i], is_state ? 1 : 2, is_state ? "a state" : "a scanned value");
      if (!given[i].dims) continue;
      *batch = merge_dim(*batch, given[i].dim(0), "batches of states and scanned values");
      if (!is_state) *length = merge_dim(*length, given[i].dim(1), "lengths of scanned values");
      given[i].dims->erase(given[i].dims->begin(), given[i].dims->begin() + (is_state ? 1 : 2));
    }
    std::vector<Fact> out = body_facts(*body_, given);
    require_state_dtypes(std::span(given).first(layout_.states), out);
    for (Fact& fact : out) {
      fact.constant = {};
      fact.contents = nullptr;
    }
    return out;
  }

  GraphPtr body_;
  int inputs_;
  BatchedLayout layout_;
};

}  // namespace

LINNET_REGISTER(scan_batched)(Registry& registry) { registry.add<BatchedScan>("Scan", {.since = 8}); }

}  // namespace linnet

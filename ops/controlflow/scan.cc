#include <array>

#include "controlflow/body.h"
#include "controlflow/stack.h"
#include "graph/carries_values.h"
#include "infer/infer.h"
#include "registration.h"
#include "run/runner.h"

namespace linnet {
namespace {

struct ScanAxis {
  int64_t axis = 0;
  bool reverse = false;

  int64_t position(int64_t iteration, int64_t length) const { return reverse ? length - 1 - iteration : iteration; }
};

// Inputs of node and body: states, scanned values (one element of each for the body), captures.
// Outputs of the body: states, one element of each scan output.
struct ScanLayout {
  size_t states = 0, captures = 0;
  std::vector<ScanAxis> scanned, stacked;
};

struct ScanState final : KernelState {
  ScanState(const std::shared_ptr<Program>& body, const ScanLayout& layout)
      : runners{Runner(body), Runner(body)},
        inputs(layout.states + layout.scanned.size() + layout.captures),
        stacked(layout.stacked.size()) {}

  // Two runners alternate, so that an iteration does not write the memory from which it reads its states.
  std::array<Runner, 2> runners;
  std::vector<Tensor> inputs, stacked;
};

class ScanKernel final : public Kernel {
 public:
  ScanKernel(const CompileInput& in, std::shared_ptr<Program> body, ScanLayout layout, int64_t length,
             std::vector<Fact> elements)
      : body_(std::move(body)), layout_(std::move(layout)), length_(length), elements_(std::move(elements)) {
    for (size_t i = 0; i < layout_.stacked.size(); ++i) wanted_.push_back(in.has_output(int(layout_.states + i)));
  }

  void run(KernelContext& context) const override {
    auto& state = static_cast<ScanState&>(*context.state());
    begin(context, state);
    for (int64_t i = 0; i < length_; ++i) iterate(context, state, i);
    for (size_t i = 0; i < layout_.states; ++i) {
      context.set_output(int(i), length_ == 0 ? state.inputs[i].clone() : state.inputs[i]);
    }
    for (size_t i = 0; i < layout_.stacked.size(); ++i) {
      if (length_ == 0) stack_first(context, state, i, shape_or_zero(elements_[i]));
      state.stacked[i] = {};
    }
  }

  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<ScanState>(body_, layout_); }
  size_t bytes() const override { return body_->bytes(); }

 private:
  void begin(KernelContext& context, ScanState& state) const {
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      const Tensor& given = context.input(int(i));
      const bool scanned = i >= layout_.states && i < layout_.states + layout_.scanned.size();
      if (!scanned) {
        state.inputs[i] = given;
      } else if (const auto axis = int(layout_.scanned[i - layout_.states].axis); !has_slices_in_place(given, axis)) {
        state.inputs[i] = Tensor(given.dtype(), without_axis(given.shape(), axis));
      }
    }
  }

  void iterate(KernelContext& context, ScanState& state, int64_t iteration) const {
    context.check();
    for (size_t i = 0; i < layout_.scanned.size(); ++i) {
      const int input = int(layout_.states + i), axis = int(layout_.scanned[i].axis);
      const int64_t at = layout_.scanned[i].position(iteration, length_);
      const Tensor& from = context.input(input);
      Tensor& slice = state.inputs[size_t(input)];
      if (has_slices_in_place(from, axis))
        slice = slice_in(from, axis, at);
      else
        take_slice(from, axis, at, slice);
    }
    Runner& runner = state.runners[size_t(iteration % 2)];
    const std::span<const Tensor> outputs = runner.run(state.inputs, run_environment(context));
    for (size_t i = 0; i < layout_.states; ++i) state.inputs[i] = outputs[i];
    for (size_t i = 0; i < layout_.stacked.size(); ++i) {
      const Tensor& element = outputs[layout_.states + i];
      if (iteration == 0) stack_first(context, state, i, element.shape());
      stack(state, i, element, iteration);
    }
  }

  void stack_first(KernelContext& context, ScanState& state, size_t i, const Shape& element) const {
    const int axis = normalize_axis(layout_.stacked[i].axis, element.rank() + 1);
    const Shape shape = with_axis(element, axis, length_);
    state.stacked[i] = stack_memory(context, int(layout_.states + i), wanted_[i], elements_[i].dtype, shape);
  }

  void stack(ScanState& state, size_t i, const Tensor& element, int64_t iteration) const {
    const ScanAxis& axis = layout_.stacked[i];
    const int at = normalize_axis(axis.axis, element.rank() + 1);
    if (!(with_axis(element.shape(), at, length_) == state.stacked[i].shape())) {
      throw Error(ErrorKind::kShape, str("scan output ", i, " changes its shape in iteration ", iteration));
    }
    put_slice(element, at, axis.position(iteration, length_), state.stacked[i]);
  }

  std::shared_ptr<Program> body_;
  ScanLayout layout_;
  int64_t length_;
  std::vector<Fact> elements_;
  std::vector<bool> wanted_;  // for each scan output
};

std::vector<ScanAxis> read_axes(const NodeSpec& node, const std::string& prefix, size_t count) {
  const auto axes = node.attr_or(prefix + "_axes", std::vector<int64_t>(count, 0));
  const auto directions = node.attr_or(prefix + "_directions", std::vector<int64_t>(count, 0));
  if (axes.size() != count || directions.size() != count) {
    throw Error(ErrorKind::kModel, str(prefix, "_axes and ", prefix, "_directions must have ", count, " entries"));
  }
  std::vector<ScanAxis> result;
  for (size_t i = 0; i < count; ++i) result.push_back({axes[i], directions[i] != 0});
  return result;
}

/// Scan: runs its body for each element of the scanned inputs along their scan axes, carrying states and stacking scan
/// outputs. All scanned inputs must have the same length.
/// Source: https://onnx.ai/onnx/operators/onnx__Scan.html
class Scan final : public Op, public CarriesValues {
 public:
  explicit Scan(const NodeSpec& node) : body_(node.attr<GraphPtr>("body")) {
    const auto scanned = node.attr<int64_t>("num_scan_inputs");
    layout_.captures = size_t(node.captures);
    const int64_t own = node.num_inputs - node.captures;
    if (scanned < 1 || scanned > own) {
      throw Error(ErrorKind::kModel, str("num_scan_inputs must be between 1 and ", own, ", got ", scanned));
    }
    layout_.states = size_t(own - scanned);
    if (body_->outputs().size() < layout_.states) throw Error(ErrorKind::kModel, "body has too few outputs");
    require_body(*body_, size_t(node.num_inputs), body_->outputs().size(), "body");
    layout_.scanned = read_axes(node, "scan_input", size_t(scanned));
    layout_.stacked = read_axes(node, "scan_output", body_->outputs().size() - layout_.states);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, int(body_->inputs().size()), int(body_->inputs().size()));
    Dim length;
    std::vector<Fact> out = elements(in, &length);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].constant = {};
      out[i].contents = nullptr;
      if (i < layout_.states || !out[i].dims) continue;
      const int axis = normalize_axis(layout_.stacked[i - layout_.states].axis, out[i].rank() + 1);
      out[i].dims->insert(out[i].dims->begin() + axis, length);
    }
    return out;
  }

  std::vector<CarriedValue> carried_values() const override {
    std::vector<CarriedValue> values;
    for (size_t i = 0; i < layout_.states; ++i) values.push_back({i, i, i, i});
    return values;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    Dim length;
    std::vector<Fact> out = elements(facts, &length);
    ScanLayout layout = layout_;
    for (size_t i = 0; i < layout.scanned.size(); ++i) {
      layout.scanned[i].axis = normalize_axis(layout.scanned[i].axis, in.rank(int(layout.states + i)));
    }
    out.erase(out.begin(), out.begin() + std::ptrdiff_t(layout.states));
    return std::make_unique<ScanKernel>(in, body_program(body_, in), std::move(layout), length.value(), std::move(out));
  }

 private:
  // The facts of the body's outputs, and the common length of the scanned inputs.
  std::vector<Fact> elements(std::span<const Fact> in, Dim* length) const {
    std::vector<Fact> given(in.begin(), in.end());
    for (Fact& fact : std::span(given).first(layout_.states + layout_.scanned.size())) {
      fact.constant = {};
      fact.contents = nullptr;
    }
    for (size_t i = 0; i < layout_.scanned.size(); ++i) {
      Fact& fact = given[layout_.states + i];
      if (!fact.dims) continue;
      const int axis = normalize_axis(layout_.scanned[i].axis, fact.rank());
      *length = merge_dim(*length, fact.dim(axis), "lengths of scanned inputs");
      fact.dims->erase(fact.dims->begin() + axis);
    }
    std::vector<Fact> out = body_facts(*body_, given);
    require_state_dtypes(std::span(given).first(layout_.states), out);
    return out;
  }

  GraphPtr body_;
  ScanLayout layout_;
};

}  // namespace

LINNET_REGISTER(scan)(Registry& r) { r.add<Scan>("Scan", {.since = 9}); }

}  // namespace linnet

#include <array>
#include <limits>

#include "controlflow/body.h"
#include "controlflow/stack.h"
#include "graph/carries_values.h"
#include "infer/infer.h"
#include "linnet/containers.h"
#include "registration.h"
#include "run/runner.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

// The number of times that the body's facts are inferred before the shapes of carried values are dropped. Nested Loops
// multiply these passes, so those that contain deeper ones drop shapes immediately.
constexpr int kMostPasses = 4;
constexpr int kMostDepth = 2;

// Inputs of the node: M, cond, `carried` values, captures. Inputs of the body: iteration, cond, carried, captures.
// Outputs of the body: cond, carried, one element of each scan output.
struct LoopShape {
  size_t carried = 0, captures = 0, scans = 0;
};

struct LoopState final : KernelState {
  LoopState(const std::shared_ptr<Program>& body, const LoopShape& shape)
      : runners{Runner(body), Runner(body)}, inputs(2 + shape.carried + shape.captures), scans(shape.scans) {
    inputs[0] = Tensor(DType::kInt64, {});
  }

  // Two runners alternate, so that an iteration does not write the memory from which it reads its inputs.
  std::array<Runner, 2> runners;
  std::vector<Tensor> inputs;
  Tensor first_condition = Tensor::scalar(true);
  std::vector<CountedVector<Tensor>> scans;
};

class LoopKernel final : public Kernel {
 public:
  LoopKernel(std::shared_ptr<Program> body, const LoopShape& shape, std::vector<bool> optional,
             std::vector<Fact> scan_facts)
      : body_(std::move(body)), shape_(shape), optional_(std::move(optional)), scan_facts_(std::move(scan_facts)) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<LoopState&>(*context.state());
    const int64_t trips = context.input(0) ? single_int(context.input(0), "M") : std::numeric_limits<int64_t>::max();
    bool condition = !context.input(1) || single_bool(context.input(1), "cond");
    begin(context, state);
    int64_t trip = 0;
    for (; trip < trips && condition; ++trip) condition = iterate(context, state, trip);
    finish(context, state, trip);
  }

  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<LoopState>(body_, shape_); }
  size_t bytes() const override { return body_->bytes(); }

 private:
  void begin(KernelContext& context, LoopState& state) const {
    state.inputs[1] = state.first_condition;
    for (size_t i = 2; i < state.inputs.size(); ++i) state.inputs[i] = context.input(int(i));
    for (CountedVector<Tensor>& scan : state.scans) scan.clear();
  }

  bool iterate(KernelContext& context, LoopState& state, int64_t trip) const {
    context.check();
    *state.inputs[0].data<int64_t>() = trip;
    Runner& runner = state.runners[size_t(trip % 2)];
    const std::span<const Tensor> outputs = runner.run(state.inputs, run_environment(context));
    for (size_t i = 0; i < shape_.carried; ++i) state.inputs[2 + i] = fed_back(outputs[1 + i], i);
    for (size_t i = 0; i < shape_.scans; ++i) state.scans[i].push_back(outputs[1 + shape_.carried + i].clone());
    state.inputs[1] = outputs[0];
    return single_bool(state.inputs[1], "the body's cond");
  }

  void finish(KernelContext& context, LoopState& state, int64_t trips) const {
    for (size_t i = 0; i < shape_.carried; ++i) {
      const Tensor& value = carried_out(state.inputs[2 + i], i);
      context.set_output(int(i), trips == 0 ? value.clone() : value);
    }
    for (size_t i = 0; i < shape_.scans; ++i) stack_all(context, state.scans[i], i);
  }

  // A value may be an optional as input, and the contained value after every iteration.
  Tensor fed_back(const Tensor& value, size_t i) const {
    return optional_[i] ? Tensor::scalar(Optional{value.clone()}) : value;
  }

  const Tensor& carried_out(const Tensor& value, size_t i) const {
    if (!optional_[i]) return value;
    const Tensor& held = value.data<Optional>()->value;
    if (!held) throw Error(ErrorKind::kType, str("carried value ", i, " is an optional that holds nothing"));
    return held;
  }

  void stack_all(KernelContext& context, const CountedVector<Tensor>& elements, size_t scan) const {
    const int output = int(shape_.carried + scan);
    if (!scan_facts_[scan].present()) return;
    const Shape element = elements.empty() ? shape_or_zero(scan_facts_[scan]) : elements[0].shape();
    const Shape shape = with_axis(element, 0, int64_t(elements.size()));
    Tensor result = stack_memory(context, output, true, scan_facts_[scan].dtype, shape);
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!(elements[i].shape() == element)) {
        throw Error(ErrorKind::kShape, str("scan output ", scan, " changes from ", element, " to ", elements[i].shape(),
                                           " in iteration ", i));
      }
      put_slice(elements[i], 0, int64_t(i), result);
    }
  }

  std::shared_ptr<Program> body_;
  LoopShape shape_;
  std::vector<bool> optional_;  // per carried value: see fed_back()
  std::vector<Fact> scan_facts_;
};

/// Loop: runs its body up to M times while cond holds, carrying values from one iteration to the next and stacking scan
/// outputs along a new first axis. M and cond may be omitted. Shapes of carried values may change.
/// Source: https://onnx.ai/onnx/operators/onnx__Loop.html
class Loop final : public Op, public CarriesValues {
 public:
  explicit Loop(const NodeSpec& node) : body_(node.attr<GraphPtr>("body")) {
    shape_.captures = size_t(node.captures);
    const size_t own = size_t(node.num_inputs) - shape_.captures;
    shape_.carried = own > 2 ? own - 2 : 0;
    if (body_->outputs().size() < 1 + shape_.carried) throw Error(ErrorKind::kModel, "body has too few outputs");
    shape_.scans = body_->outputs().size() - 1 - shape_.carried;
    require_body(*body_, 2 + shape_.carried + shape_.captures, body_->outputs().size(), "body");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 0, int(2 + shape_.carried + shape_.captures));
    if (has_input(in, 0)) require_dtype(in[0], DType::kInt64, "M");
    if (has_input(in, 1)) require_dtype(in[1], DType::kBool, "cond");
    const BodyFacts body = steady_facts(in);
    std::vector<Fact> facts;
    for (size_t i = 0; i < shape_.carried; ++i) {
      const Fact& carried = body.inputs[2 + i];
      facts.push_back(carried.dtype == body.outputs[1 + i].dtype ? carried : *carried.element);
    }
    for (size_t i = 1 + shape_.carried; i < body.outputs.size(); ++i) facts.push_back(stacked(body.outputs[i]));
    return facts;
  }

  bool accepts_containers() const override { return true; }

  std::vector<CarriedValue> carried_values() const override {
    std::vector<CarriedValue> values;
    for (size_t i = 0; i < shape_.carried; ++i) values.push_back({2 + i, 2 + i, 1 + i, i});
    return values;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> scans;
    for (size_t i = 0; i < shape_.scans; ++i) {
      const int output = int(shape_.carried + i);
      Fact element = output < in.num_outputs() ? in.output_fact(output) : Fact();
      if (element.dims) element.dims->erase(element.dims->begin());
      scans.push_back(std::move(element));
    }
    std::vector<bool> optional;
    for (size_t i = 0; i < shape_.carried; ++i) {
      optional.push_back(in.dtype(int(2 + i)) == DType::kOptional && in.has_output(int(i)) &&
                         in.output_dtype(int(i)) != DType::kOptional);
    }
    return std::make_unique<LoopKernel>(body_program(body_, in), shape_, std::move(optional), std::move(scans));
  }

 private:
  static Fact stacked(Fact element) {
    if (is_container(element.dtype)) throw Error(ErrorKind::kType, str("scan outputs cannot be ", element));
    element.constant = {};
    element.contents = nullptr;
    if (element.dims) element.dims->insert(element.dims->begin(), Dim());
    return element;
  }

  /// The facts of the body's inputs and outputs that hold in every iteration.
  struct BodyFacts {
    std::vector<Fact> inputs, outputs;
  };

  // Begins with the facts of the first iteration, and opens those that an iteration changes, until they no longer
  // change.
  BodyFacts steady_facts(std::span<const Fact> in) const {
    BodyFacts facts{first_inputs(in), {}};
    const int passes = loop_depth(*body_) > kMostDepth ? 0 : kMostPasses;
    for (int pass = 0;; ++pass) {
      if (pass == passes) give_up_shapes(carried(facts.inputs));
      facts.outputs = body_facts(*body_, facts.inputs);
      if (!widen(carried(facts.inputs), facts.outputs)) return facts;
    }
  }

  // The facts of the first iteration, without the contents of carried values.
  std::vector<Fact> first_inputs(std::span<const Fact> in) const {
    std::vector<Fact> inputs{Fact(DType::kInt64, Shape{}), Fact(DType::kBool, Shape{})};
    for (size_t i = 2; i < in.size(); ++i) inputs.push_back(in[i]);
    for (Fact& fact : carried(inputs)) {
      fact.constant = {};
      fact.contents = nullptr;
    }
    return inputs;
  }

  std::span<Fact> carried(std::vector<Fact>& body_inputs) const {
    return std::span(body_inputs).subspan(2, shape_.carried);
  }

  static void give_up_shapes(std::span<Fact> facts) {
    for (Fact& fact : facts) fact = without_shape(fact);
  }

  // Opens the dims of carried values that the body changes; returns whether there are such.
  static bool widen(std::span<Fact> carried, std::span<const Fact> body_outputs) {
    bool changed = false;
    for (size_t i = 0; i < carried.size(); ++i) {
      Fact wide = generalize(carried[i], fed_back_fact(carried[i], body_outputs[1 + i]));
      // The texts are equal if no dim was opened, including dims of elements of sequences.
      changed = changed || str(wide) != str(carried[i]);
      carried[i] = std::move(wide);
    }
    return changed;
  }

  // See LoopKernel::fed_back().
  static Fact fed_back_fact(const Fact& carried, const Fact& body_output) {
    const bool wrapped = carried.dtype == DType::kOptional && body_output.dtype != DType::kOptional;
    return wrapped ? Fact::optional(body_output) : body_output;
  }

  GraphPtr body_;
  LoopShape shape_;
};

}  // namespace

LINNET_REGISTER(loop)(Registry& r) { r.add<Loop>("Loop", {.own_inputs = 2}); }

}  // namespace linnet

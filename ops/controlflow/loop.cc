#include <array>
#include <limits>

#include "controlflow/body.h"
#include "controlflow/stack.h"
#include "infer.h"
#include "op_list.h"
#include "run/runner.h"

namespace linnet {
namespace {

// Inputs of the node: M, cond, `carried` values, captures. Of the body: iteration, cond, carried, captures.
// Outputs of the body: cond, carried, one element of each scan output.
struct LoopShape {
  size_t carried = 0, captures = 0, scans = 0;
};

struct LoopState final : KernelState {
  LoopState(const std::shared_ptr<Program>& body, const LoopShape& shape)
      : runners{Runner(body), Runner(body)}, inputs(2 + shape.carried + shape.captures), scans(shape.scans) {}

  // Two runners take turns, so that an iteration reads its inputs from memory that it does not write.
  std::array<Runner, 2> runners;
  std::vector<Tensor> inputs;
  std::vector<std::vector<Tensor>> scans;
};

class LoopKernel final : public Kernel {
 public:
  LoopKernel(std::shared_ptr<Program> body, const LoopShape& shape, std::vector<Fact> scan_facts)
      : body_(std::move(body)), shape_(shape), scan_facts_(std::move(scan_facts)) {}

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

 private:
  void begin(KernelContext& context, LoopState& state) const {
    state.inputs[0] = Tensor(DType::kInt64, {});
    state.inputs[1] = Tensor::scalar(true);
    for (size_t i = 2; i < state.inputs.size(); ++i) state.inputs[i] = context.input(int(i));
    for (std::vector<Tensor>& scan : state.scans) scan.clear();
  }

  bool iterate(KernelContext& context, LoopState& state, int64_t trip) const {
    context.environment().check();
    *state.inputs[0].data<int64_t>() = trip;
    Runner& runner = state.runners[size_t(trip % 2)];
    const std::span<const Tensor> outputs = runner.run(state.inputs, context.environment());
    for (size_t i = 0; i < shape_.carried; ++i) state.inputs[2 + i] = outputs[1 + i];
    for (size_t i = 0; i < shape_.scans; ++i) state.scans[i].push_back(outputs[1 + shape_.carried + i].clone());
    state.inputs[1] = outputs[0].clone();
    return single_bool(state.inputs[1], "the body's cond");
  }

  void finish(KernelContext& context, LoopState& state, int64_t trips) const {
    for (size_t i = 0; i < shape_.carried; ++i) {
      const Tensor& value = state.inputs[2 + i];
      context.set_output(int(i), trips == 0 ? value.clone() : value);
    }
    for (size_t i = 0; i < shape_.scans; ++i) context.set_output(int(shape_.carried + i), stacked(state.scans[i], i));
  }

  Tensor stacked(const std::vector<Tensor>& elements, size_t scan) const {
    const Shape element = elements.empty() ? empty_element(scan_facts_[scan]) : elements[0].shape();
    Tensor result(scan_facts_[scan].dtype, with_axis(element, 0, int64_t(elements.size())));
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!(elements[i].shape() == element)) {
        throw Error(ErrorKind::kShape, str("scan output ", scan, " changes from ", element, " to ", elements[i].shape(),
                                           " in iteration ", i));
      }
      put_slice(elements[i], 0, int64_t(i), result);
    }
    return result;
  }

  // Without an iteration, open dims are 0.
  static Shape empty_element(const Fact& fact) {
    Shape shape;
    if (fact.dims) {
      for (const Dim& dim : *fact.dims) shape.push_back(dim.known() ? dim.value() : 0);
    }
    return shape;
  }

  std::shared_ptr<Program> body_;
  LoopShape shape_;
  std::vector<Fact> scan_facts_;
};

/// Loop: runs its body up to M times while cond holds, carrying values from one iteration to the next and stacking
/// scan outputs along a new first axis. M and cond may be omitted. Shapes of carried values may change.
/// Source: https://onnx.ai/onnx/operators/onnx__Loop.html
class Loop final : public Op {
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
    std::vector<Fact> facts = steady_facts(in);
    for (size_t i = shape_.carried; i < facts.size(); ++i) {
      if (facts[i].dims) facts[i].dims->insert(facts[i].dims->begin(), Dim());
    }
    return facts;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> scans;
    for (size_t i = 0; i < shape_.scans; ++i) {
      const int output = int(shape_.carried + i);
      Fact element = output < in.num_outputs() ? in.output_fact(output) : Fact();
      if (element.dims) element.dims->erase(element.dims->begin());
      scans.push_back(std::move(element));
    }
    return std::make_unique<LoopKernel>(body_program(body_, in), shape_, std::move(scans));
  }

 private:
  // Facts of carried values and scan elements that hold in every iteration.
  std::vector<Fact> steady_facts(std::span<const Fact> in) const {
    std::vector<Fact> given{Fact(DType::kInt64, Shape{}), Fact(DType::kBool, Shape{})};
    for (size_t i = 2; i < in.size(); ++i) given.push_back(in[i]);
    for (size_t i = 2; i < 2 + shape_.carried; ++i) given[i].constant = {};
    for (;;) {
      std::vector<Fact> out = body_facts(*body_, given);
      bool steady = true;
      for (size_t i = 0; i < shape_.carried; ++i) {
        const Fact general = generalize(given[2 + i], out[1 + i]);
        steady =
            steady && general.dims.has_value() == given[2 + i].dims.has_value() && same_openness(general, given[2 + i]);
        given[2 + i] = general;
      }
      if (!steady) continue;
      std::vector<Fact> facts(given.begin() + 2, given.begin() + 2 + std::ptrdiff_t(shape_.carried));
      facts.insert(facts.end(), out.begin() + 1 + std::ptrdiff_t(shape_.carried), out.end());
      for (Fact& fact : facts) fact.constant = {};
      return facts;
    }
  }

  // generalize() only ever opens dims; equal openness means that nothing changed.
  static bool same_openness(const Fact& a, const Fact& b) {
    if (!a.dims) return true;
    for (size_t i = 0; i < a.dims->size(); ++i) {
      const Dim &x = (*a.dims)[i], &y = (*b.dims)[i];
      if (x.known() != y.known() || x.symbol() != y.symbol()) return false;
    }
    return true;
  }

  GraphPtr body_;
  LoopShape shape_;
};

}  // namespace

void register_loop(Registry& r) { r.add<Loop>("Loop"); }

}  // namespace linnet

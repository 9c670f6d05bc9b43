#include "controlflow/body.h"
#include "environment/rows.h"
#include "infer/infer.h"
#include "registration.h"
#include "run/runner.h"

namespace linnet {
namespace {

/// The used rows of an input: base + slopes * counts along an axis; axis -1: all of the input.
struct UsedRows {
  int axis = -1;
  int64_t base = 0;
  std::vector<int64_t> slopes;

  int64_t count(const Tensor& counts) const {
    int64_t rows = base;
    for (size_t i = 0; i < slopes.size(); ++i) {
      rows = checked_add(rows, checked_mul(slopes[i], counts.data<int64_t>()[i]));
    }
    return rows;
  }
};

struct RowsState final : KernelState {
  RowsState(const std::shared_ptr<Program>& program, size_t inputs, size_t outputs)
      : runner(program), copies(inputs), values(inputs), given(outputs) {}
  Runner runner;
  std::vector<Tensor> copies, values, given;
};

class RowsInUseKernel final : public Kernel {
 public:
  RowsInUseKernel(std::shared_ptr<Program> program, std::vector<UsedRows> inputs, std::vector<int> output_axes,
                  std::vector<bool> planned)
      : program_(std::move(program)),
        inputs_(std::move(inputs)),
        output_axes_(std::move(output_axes)),
        planned_(std::move(planned)) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<RowsState&>(*context.state());
    const RunEnvironment& environment = run_context(context).environment();
    for (size_t i = 0; i < inputs_.size(); ++i) take(context, i, environment, state);
    for (size_t i = 0; i < planned_.size(); ++i) {
      if (planned_[i] && output_axes_[i] < 0) state.given[i] = context.output(int(i));
    }
    const auto outputs = state.runner.run(state.values, run_context(context).environment(), state.given);
    std::fill(state.given.begin(), state.given.end(), Tensor());
    std::fill(state.values.begin(), state.values.end(), Tensor());
    for (size_t i = 0; i < planned_.size(); ++i) give(context, i, outputs[i]);
  }

  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<RowsState>(program_, inputs_.size(), planned_.size());
  }
  size_t bytes() const override { return program_->bytes(); }
  std::string describe() const override { return "on the rows in use"; }

 private:
  void take(KernelContext& context, size_t i, const RunEnvironment& environment, RowsState& state) const {
    const Tensor& x = context.input(1 + int(i));
    const UsedRows& used = inputs_[i];
    state.values[i] = x;
    if (used.axis < 0) return;
    const int64_t rows = used.count(context.input(0));
    if (rows < 0 || rows > x.dim(used.axis)) {
      throw Error(ErrorKind::kShape, str("input ", i, " cannot have ", rows, " rows of ", x.dim(used.axis)));
    }
    const Shape shape = with_rows(x.shape(), used.axis, rows);
    if (rows_are_dense(shape, used.axis)) {
      state.values[i] = Tensor::wrap(x.dtype(), shape, const_cast<void*>(x.raw()));
      return;
    }
    Tensor& copy = state.copies[i];
    if (!copy || copy.shape() != shape) copy = environment.allocate(x.dtype(), shape);
    copy_rows(x, used.axis, rows, copy);
    state.values[i] = copy;
  }

  void give(KernelContext& context, size_t i, const Tensor& value) const {
    if (!planned_[i]) return context.set_output(int(i), value);
    Tensor& y = context.output(int(i));
    const int axis = output_axes_[i];
    if (!has_room(value, axis, y)) {
      throw Error(ErrorKind::kShape,
                  str("output ", i, " is ", linnet::describe(value), ", there is room for ", linnet::describe(y)));
    }
    if (axis < 0) {
      if (value.raw() != y.raw()) copy_elements(value, y);
      return;
    }
    copy_rows(value, axis, value.dim(axis), y);
    clear_rows(y, axis, value.dim(axis), y.dim(axis));
  }

  /// Whether y has the value's dtype and dims, or more rows along the axis.
  static bool has_room(const Tensor& value, int axis, const Tensor& y) {
    if (value.dtype() != y.dtype() || value.rank() != y.rank()) return false;
    if (axis < 0) return value.shape() == y.shape();
    return value.dim(axis) <= y.dim(axis) && with_rows(value.shape(), axis, y.dim(axis)) == y.shape();
  }

  std::shared_ptr<Program> program_;
  std::vector<UsedRows> inputs_;
  std::vector<int> output_axes_;
  std::vector<bool> planned_;
};

/// RowsInUse: runs a body on the used rows of its inputs, which have memory for more.
/// - counts: int64 [n]
/// - further inputs: those of the body. Of input i, the first bases[i] + the sum over k of slopes[i, k] * counts[k]
///   rows along axes[i] are used; axis -1: all rows.
/// - outputs: have the facts in attributes output0, output1, ...; along output_axes[i] they contain the rows of the
///   body's output, then zeros
class RowsInUse final : public Op {
 public:
  explicit RowsInUse(const NodeSpec& node)
      : body_(node.attr<GraphPtr>("body")), output_axes_(node.attr<std::vector<int64_t>>("output_axes")) {
    const auto &axes = node.attr<std::vector<int64_t>>("axes"), &bases = node.attr<std::vector<int64_t>>("bases"),
               &slopes = node.attr<std::vector<int64_t>>("slopes");
    require_body(*body_, axes.size(), output_axes_.size(), "body");
    if (bases.size() != axes.size() || (!axes.empty() && slopes.size() % axes.size() != 0)) {
      throw Error(ErrorKind::kModel, "axes, bases and slopes must be of as many inputs");
    }
    counts_ = axes.empty() ? 0 : slopes.size() / axes.size();
    auto begin = slopes.begin();
    for (size_t i = 0; i < axes.size(); ++i, begin += std::ptrdiff_t(counts_)) {
      inputs_.push_back({int(axes[i]), bases[i], {begin, begin + std::ptrdiff_t(counts_)}});
    }
    for (size_t i = 0; i < output_axes_.size(); ++i) outputs_.push_back(node.attr<Fact>(str("output", i)));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1 + int(inputs_.size()), 1 + int(inputs_.size()));
    require_dtype(in[0], DType::kInt64, "counts");
    require_rank(in[0], 1, "counts");
    if (in[0].concrete() && in[0].dim(0).value() < int64_t(counts_)) {
      throw Error(ErrorKind::kShape, str("counts must be ", counts_, " numbers, are ", in[0]));
    }
    for (size_t i = 0; i < inputs_.size(); ++i) require_axis(in[1 + i], inputs_[i].axis, "input");
    for (size_t i = 0; i < outputs_.size(); ++i) {
      require_axis(outputs_[i], int(output_axes_[i]), "output");
      if (output_axes_[i] >= 0 && !outputs_[i].concrete()) throw Error(ErrorKind::kModel, "an output without a size");
    }
    return outputs_;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<bool> planned;
    for (const Fact& fact : outputs_) planned.push_back(fact.concrete());
    return std::make_unique<RowsInUseKernel>(body_program(body_, in), inputs_,
                                             std::vector<int>(output_axes_.begin(), output_axes_.end()), planned);
  }

 private:
  static void require_axis(const Fact& fact, int axis, const char* what) {
    if (axis >= 0 && fact.has_rank() && axis >= fact.rank()) {
      throw Error(ErrorKind::kModel, str(what, " ", fact, " has no axis ", axis));
    }
    if (axis >= 0 && (is_object(fact.dtype) || dtype_bits(fact.dtype) < 8)) {
      throw Error(ErrorKind::kType, str(what, " ", fact, " has no rows of whole bytes"));
    }
  }

  GraphPtr body_;
  std::vector<UsedRows> inputs_;
  std::vector<int64_t> output_axes_;
  std::vector<Fact> outputs_;
  size_t counts_ = 0;
};

}  // namespace

LINNET_REGISTER(rows_in_use)(Registry& registry) {
  registry.add<RowsInUse>("RowsInUse", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet

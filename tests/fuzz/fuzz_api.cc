#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "choices.h"
#include "frontends/onnx/model_builder.h"
#include "target.h"

// Bytes choose calls of contexts of one model: runs, runs that fail or are cancelled, states, forks, moves. Every
// result must be equal to that of a separate computation, and outputs that are kept must never change.
namespace linnet {
namespace {

constexpr int kMostContexts = 4;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// x [N, 2], total [2], rows [M, 2]: sum = total + the sum of x's rows, all = rows followed by x, y = x * w + sum.
testing::pb::ModelProto described() {
  testing::pb::ModelProto model = testing::empty_model(18);
  testing::pb::GraphProto& graph = *model.mutable_graph();
  for (const char* name : {"x", "total", "rows"}) testing::add_input(graph, name, {2});
  for (const int open : {0, 2}) {
    auto& shape = *graph.mutable_input(open)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.mutable_dim(0)->set_dim_param(open ? "M" : "N");
    shape.add_dim()->set_dim_value(2);
  }
  testing::add_initializer(graph, "w", {2, 3});
  auto& axes = *graph.add_initializer();
  axes.set_name("axes");
  axes.set_data_type(testing::pb::TensorProto::INT64);
  axes.add_dims(1);
  axes.add_int64_data(0);
  auto& reduction = testing::add_node(graph, "ReduceSum", {"x", "axes"}, {"added"});
  testing::add_attribute(reduction, "keepdims", testing::pb::AttributeProto::INT).set_i(0);
  testing::add_node(graph, "Add", {"total", "added"}, {"sum"});
  auto& joined = testing::add_node(graph, "Concat", {"rows", "x"}, {"all"});
  testing::add_attribute(joined, "axis", testing::pb::AttributeProto::INT).set_i(0);
  testing::add_node(graph, "Mul", {"x", "w"}, {"scaled"});
  testing::add_node(graph, "Add", {"scaled", "sum"}, {"y"});
  for (const char* name : {"y", "sum", "all"}) testing::add_output(graph, name);
  return model;
}

const Model& model() {
  static const Model model =
      testing::load(described(), {.executor = make_thread_executor(3), .replaceable_weights = true});
  return model;
}

/// A context, and the expected contents of its states.
struct Subject {
  Context context;
  std::vector<float> weights{2, 3};
  std::vector<float> total{1, -1}, rows{};
  bool bound = false;

  explicit Subject(const Model& of) : context(of, {.seed = 1}) {}
  Subject(Context made, const Subject& like)
      : context(std::move(made)), weights(like.weights), total(like.total), rows(like.rows), bound(like.bound) {}
};

Tensor matrix(const std::vector<float>& values) {
  return Tensor::of(Shape{int64_t(values.size()) / 2, 2}, values).clone();
}

class Session {
 public:
  explicit Session(std::span<const uint8_t> bytes) : choices_(bytes) { subjects_.emplace_back(model()); }

  void run() {
    using Call = void (Session::*)();
    constexpr Call kCalls[] = {&Session::run_once, &Session::run_once, &Session::run_into,   &Session::run_by_name,
                               &Session::fail,     &Session::cancel,   &Session::expire,     &Session::bind,
                               &Session::set,      &Session::reset,    &Session::truncate,   &Session::fork,
                               &Session::move,     &Session::prepare,  &Session::new_weights};
    while (choices_.any()) (this->*choices_.of(kCalls))();
    for (const auto& [held, copy] : held_) expect(identical(held, copy), "an output that was held has changed");
  }

 private:
  Subject& subject() { return subjects_[size_t(choices_.byte()) % subjects_.size()]; }
  std::vector<float> values(int rows) {
    std::vector<float> result(size_t(rows) * 2);
    for (float& value : result) value = float(choices_.integer(-8, 8));
    return result;
  }
  std::vector<Tensor> inputs(const Subject& of, const std::vector<float>& x) {
    if (of.bound) return {matrix(x), Tensor(), Tensor()};
    return {matrix(x), Tensor::of(of.total).clone(), matrix(of.rows)};
  }

  void check(Subject& of, const std::vector<float>& x, std::span<const Tensor> outputs) {
    std::vector<float> sum = of.total, y, all = of.rows;
    for (size_t i = 0; i < x.size(); ++i) sum[i % 2] += x[i];
    for (size_t i = 0; i < x.size(); ++i) y.push_back(x[i] * of.weights[i % 2] + sum[i % 2]);
    all.insert(all.end(), x.begin(), x.end());
    expect(identical(outputs[0], matrix(y)), "y is wrong");
    if (!of.bound) {
      expect(identical(outputs[1], Tensor::of(sum)) && identical(outputs[2], matrix(all)), "sum or rows are wrong");
    } else {
      expect(!outputs[1] && !outputs[2], "outputs that are states are given");
      of.total = sum;
      of.rows = all;
    }
    check_states(of);
    if (choices_.flag()) held_.emplace_back(outputs[0], outputs[0].clone());
  }

  void check_states(const Subject& of) {
    if (!of.bound) return;
    expect(identical(of.context.state("total"), Tensor::of(of.total)), "the state total is wrong");
    expect(identical(of.context.state("rows"), matrix(of.rows)), "the state rows is wrong");
  }

  void run_once() {
    Subject& of = subject();
    const std::vector<float> x = values(choices_.integer(0, 5));
    check(of, x, of.context.run(inputs(of, x)));
  }

  void run_into() {
    Subject& of = subject();
    const std::vector<float> x = values(choices_.integer(1, 3));
    const std::vector<Tensor> given = inputs(of, x);
    const Tensor y = choices_.flag() ? given[0] : Tensor(DType::kFloat32, Shape{int64_t(x.size()) / 2, 2});
    const auto outputs = of.context.run(given, {.outputs = {y}});
    expect(outputs[0].address() == y.address(), "the output lies elsewhere");
    check(of, x, outputs);
  }

  void run_by_name() {
    Subject& of = subject();
    const std::vector<float> x = values(choices_.integer(1, 3));
    std::vector<std::pair<std::string, Tensor>> named{{"x", matrix(x)}};
    if (!of.bound) named = {{"rows", matrix(of.rows)}, {"x", matrix(x)}, {"total", Tensor::of(of.total).clone()}};
    check(of, x, of.context.run(named));
  }

  template <class F>
  void refused(Subject& of, ErrorKind kind, const char* what, F&& call) {
    try {
      call();
    } catch (const Error& error) {
      expect(error.kind() == kind, error.what());
      return check_states(of);
    }
    expect(false, what);
  }

  void fail() {
    Subject& of = subject();
    std::vector<Tensor> given = inputs(of, values(2));
    const int how = choices_.integer(0, 3);
    if (how == 0) given[0] = Tensor::of<int64_t>(Shape{1, 2}, {1, 2});
    if (how == 1) given[0] = Tensor::of<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
    if (how == 2) given.pop_back();
    RunOptions options;
    if (how == 3) options.outputs = {Tensor::wrap(DType::kFloat32, Shape{1, 2}, given[0].data<float>() + 1)};
    const ErrorKind kind = how == 0 ? ErrorKind::kType : how == 2 ? ErrorKind::kModel : ErrorKind::kShape;
    refused(of, kind, "bad inputs are taken", [&] { of.context.run(given, options); });
  }

  void cancel() {
    Subject& of = subject();
    const auto token = std::make_shared<CancellationToken>();
    token->cancel();
    refused(of, ErrorKind::kCancelled, "a cancelled run gives results",
            [&] { of.context.run(inputs(of, values(1)), {.cancellation = token}); });
  }

  void expire() {
    Subject& of = subject();
    refused(of, ErrorKind::kLimit, "a late run gives results",
            [&] { of.context.run(inputs(of, values(1)), {.deadline = {}}); });
  }

  void bind() {
    Subject& of = subject();
    if (of.bound)
      return refused(of, ErrorKind::kModel, "a state is bound twice",
                     [&] { of.context.bind_state("sum", "total", Tensor::of(of.total)); });
    of.context.bind_state("sum", "total", Tensor::of(of.total));
    of.context.bind_state("all", "rows", matrix(of.rows), choices_.integer(0, 9));
    of.bound = true;
    check_states(of);
  }

  void set() {
    Subject& of = subject();
    if (!of.bound)
      return refused(of, ErrorKind::kModel, "a value that is no state is set",
                     [&] { of.context.set_state("total", Tensor::of(of.total)); });
    of.total = values(1);
    of.rows = values(choices_.integer(0, 4));
    of.context.set_state("total", Tensor::of(of.total));
    of.context.set_state("rows", matrix(of.rows));
    check_states(of);
  }

  void reset() {
    Subject& of = subject();
    of.context.reset_states();
    if (!of.bound) return;
    of.total = testing::floats(of.context.state("total"));
    of.rows = testing::floats(of.context.state("rows"));
  }

  void truncate() {
    Subject& of = subject();
    if (of.bound)
      refused(of, ErrorKind::kShape, "states have a negative length", [&] { of.context.truncate_states(-1); });
  }

  void fork() {
    Subject& of = subject();
    if (subjects_.size() < kMostContexts) {
      subjects_.emplace_back(of.context.fork(), of);
    } else {
      subjects_.erase(subjects_.begin() + choices_.integer(0, kMostContexts - 1));
    }
  }

  void move() {
    Subject& of = subject();
    Context moved = std::move(of.context);
    of.context = std::move(moved);
    check_states(of);
  }

  void prepare() {
    Subject& of = subject();
    const int64_t rows = int64_t(of.rows.size()) / 2;
    of.context.prepare(std::vector<Shape>{{choices_.integer(0, 5), 2}, {2}, {rows, 2}});
  }

  void new_weights() {
    const std::vector<float> weights = values(1);
    Subject made(model().with_weights({{"w", Tensor::of(weights).clone()}}));
    made.weights = weights;
    subjects_.back() = std::move(made);
  }

  Choices choices_;
  std::vector<Subject> subjects_;
  std::vector<std::pair<Tensor, Tensor>> held_;
};

}  // namespace

void take(std::span<const uint8_t> bytes) {
  if (bytes.size() > 512) bytes = bytes.first(512);
  Session(bytes).run();
}

}  // namespace linnet

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "linnet/model.h"
#include "run/model_graph.h"
#include "support/run_op.h"

// Tests LSTM, GRU and RNN against their equations, in double and one value at a time.
namespace linnet::testing {
namespace {

struct Sizes {
  int64_t steps = 5, batch = 3, input = 4, hidden = 6, directions = 1, gates = 4;
};

struct Inputs {
  Tensor x, w, r, b, lengths, h, c, p;

  explicit Inputs(const Sizes& s)
      : x(random_tensor({s.steps, s.batch, s.input}, 1)),
        w(random_uniform({s.directions, s.gates * s.hidden, s.input}, -0.6f, 0.6f, 2)),
        r(random_uniform({s.directions, s.gates * s.hidden, s.hidden}, -0.6f, 0.6f, 3)),
        b(random_uniform({s.directions, 2 * s.gates * s.hidden}, -0.5f, 0.5f, 4)),
        h(random_uniform({s.directions, s.batch, s.hidden}, -1, 1, 5)),
        c(random_uniform({s.directions, s.batch, s.hidden}, -1, 1, 6)),
        p(random_uniform({s.directions, 3 * s.hidden}, -0.5f, 0.5f, 7)) {}

  std::vector<Tensor> lstm() const { return {x, w, r, b, lengths, h, c, p}; }
  std::vector<Tensor> gru() const { return {x, w, r, b, lengths, h}; }
};

using Function = std::function<double(double)>;
double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double tanh_of(double v) { return std::tanh(v); }

struct Variant {
  bool reverse = false, input_forget = false, linear_before_reset = false;
  Function f = sigmoid, g = tanh_of, h = tanh_of;
};

double value(const Tensor& t, int64_t i) { return t ? double(t.data<float>()[i]) : 0; }

/// One direction of one sequence: the hidden states over time, and the final state.
struct Sequence {
  Sizes s;
  const Inputs& in;
  Variant v;
  int64_t d, b;
  std::vector<double> h, c;

  Sequence(const Sizes& sizes, const Inputs& inputs, const Variant& variant, int64_t direction, int64_t row)
      : s(sizes), in(inputs), v(variant), d(direction), b(row) {
    for (int64_t i = 0; i < s.hidden; ++i) {
      h.push_back(value(in.h, (d * s.batch + b) * s.hidden + i));
      c.push_back(value(in.c, (d * s.batch + b) * s.hidden + i));
    }
  }

  /// Returns element i of x W^T + Wb for gate `gate`.
  double from_x(int64_t t, int64_t gate, int64_t i) const {
    const int64_t row = d * s.gates * s.hidden + gate * s.hidden + i;
    double sum = value(in.b, d * 2 * s.gates * s.hidden + gate * s.hidden + i);
    for (int64_t k = 0; k < s.input; ++k)
      sum += value(in.x, (t * s.batch + b) * s.input + k) * value(in.w, row * s.input + k);
    return sum;
  }
  /// Returns element i of state R^T + Rb for gate `gate`.
  double from_state(const std::vector<double>& state, int64_t gate, int64_t i) const {
    const int64_t row = d * s.gates * s.hidden + gate * s.hidden + i;
    double sum = value(in.b, (d * 2 + 1) * s.gates * s.hidden + gate * s.hidden + i);
    for (int64_t k = 0; k < s.hidden; ++k) sum += state[size_t(k)] * value(in.r, row * s.hidden + k);
    return sum;
  }
  double peephole(int64_t gate, int64_t i) const { return value(in.p, (d * 3 + gate) * s.hidden + i); }

  void lstm_step(int64_t t) {
    const std::vector<double> before = h;
    for (int64_t i = 0; i < s.hidden; ++i) {
      double& cell = c[size_t(i)];
      const auto gate = [&](int64_t k) { return from_x(t, k, i) + from_state(before, k, i); };
      const double input = v.f(gate(0) + peephole(0, i) * cell);
      const double forget = v.input_forget ? 1 - input : v.f(gate(2) + peephole(2, i) * cell);
      cell = forget * cell + input * v.g(gate(3));
      h[size_t(i)] = v.f(gate(1) + peephole(1, i) * cell) * v.h(cell);
    }
  }

  void gru_step(int64_t t) {
    const std::vector<double> before = h;
    std::vector<double> reset, reset_state;
    for (int64_t i = 0; i < s.hidden; ++i) {
      reset.push_back(v.f(from_x(t, 1, i) + from_state(before, 1, i)));
      reset_state.push_back(reset.back() * before[size_t(i)]);
    }
    for (int64_t i = 0; i < s.hidden; ++i) {
      const double update = v.f(from_x(t, 0, i) + from_state(before, 0, i));
      const double recurrent =
          v.linear_before_reset ? reset[size_t(i)] * from_state(before, 2, i) : from_state(reset_state, 2, i);
      h[size_t(i)] = (1 - update) * v.g(from_x(t, 2, i) + recurrent) + update * before[size_t(i)];
    }
  }

  void rnn_step(int64_t t) {
    const std::vector<double> before = h;
    for (int64_t i = 0; i < s.hidden; ++i) h[size_t(i)] = v.f(from_x(t, 0, i) + from_state(before, 0, i));
  }
};

struct Outputs {
  Tensor y, h, c;
};

/// variants: one for each direction.
Outputs reference(const Sizes& s, const Inputs& in, const std::vector<Variant>& variants,
                  void (Sequence::*step)(int64_t)) {
  Outputs out{Tensor(DType::kFloat32, {s.steps, s.directions, s.batch, s.hidden}),
              Tensor(DType::kFloat32, {s.directions, s.batch, s.hidden}),
              Tensor(DType::kFloat32, {s.directions, s.batch, s.hidden})};
  std::fill_n(out.y.data<float>(), out.y.size(), 0.0f);
  for (int64_t d = 0; d < s.directions; ++d) {
    for (int64_t b = 0; b < s.batch; ++b) {
      Sequence sequence(s, in, variants[size_t(d)], d, b);
      const int64_t length = in.lengths ? in.lengths.data<int32_t>()[b] : s.steps;
      for (int64_t n = 0; n < length; ++n) {
        const int64_t t = sequence.v.reverse ? length - 1 - n : n;
        (sequence.*step)(t);
        for (int64_t i = 0; i < s.hidden; ++i) {
          out.y.data<float>()[((t * s.directions + d) * s.batch + b) * s.hidden + i] = float(sequence.h[size_t(i)]);
        }
      }
      for (int64_t i = 0; i < s.hidden; ++i) {
        out.h.data<float>()[(d * s.batch + b) * s.hidden + i] = float(sequence.h[size_t(i)]);
        out.c.data<float>()[(d * s.batch + b) * s.hidden + i] = float(sequence.c[size_t(i)]);
      }
    }
  }
  return out;
}

void expect_outputs(const std::vector<Tensor>& got, const Outputs& want, double tolerance = 2e-6) {
  expect_close(got[0], cast_to(want.y, got[0].dtype()), tolerance);
  expect_close(got[1], cast_to(want.h, got[1].dtype()), tolerance);
  if (got.size() > 2) expect_close(got[2], cast_to(want.c, got[2].dtype()), tolerance);
}

std::vector<std::string> names(std::initializer_list<const char*> list) { return {list.begin(), list.end()}; }

TEST(Lstm, MatchesItsEquationsForEachDirection) {
  for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
    Sizes s;
    s.directions = direction == "bidirectional" ? 2 : 1;
    const Inputs in(s);
    const std::vector<Variant> variants{{.reverse = direction == "reverse"}, {.reverse = true}};
    for (const Isa isa : supported_isas()) {
      const OpCase op{"LSTM", 14, {{"direction", direction}, {"hidden_size", s.hidden}}};
      expect_outputs(run_op(op, in.lstm(), 3, {1, 2, 3, 7}, isa), reference(s, in, variants, &Sequence::lstm_step));
    }
  }
}

TEST(Lstm, WeightsMayBeComputedAndOptionalInputsOmitted) {
  const Sizes s;
  Inputs in(s);
  in.p = in.b = in.h = in.c = Tensor();
  expect_outputs(run_op({"LSTM", 7}, in.lstm(), 3), reference(s, in, {Variant()}, &Sequence::lstm_step));
}

TEST(Lstm, RefusesAnotherHiddenSizeThanThatOfItsWeights) {
  const Sizes s;
  const Inputs in(s);
  for (const int64_t size : {int64_t{0}, int64_t{-1}, s.hidden + 1, INT64_MAX}) {
    expect_error(ErrorKind::kShape, str("R must be of hidden_size ", size), [&] {
      run_op({"LSTM", 14, {{"hidden_size", size}}}, in.lstm(), 3);
    });
  }
}

TEST(Lstm, ShortSequencesEndEarly) {
  for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
    Sizes s;
    s.directions = direction == "bidirectional" ? 2 : 1;
    Inputs in(s);
    in.lengths = Tensor::of<int32_t>({3, 5, 0});
    const std::vector<Variant> variants{{.reverse = direction == "reverse"}, {.reverse = true}};
    expect_outputs(run_op({"LSTM", 14, {{"direction", direction}}}, in.lstm(), 3),
                   reference(s, in, variants, &Sequence::lstm_step));
  }
}

TEST(Lstm, CouplesGatesAndTakesOtherActivations) {
  const Sizes s;
  const Inputs in(s);
  const Variant variant{.input_forget = true,
                        .f = [](double v) { return std::clamp(0.3 * v + 0.4, 0.0, 1.0); },
                        .g = [](double v) { return v / (1 + std::abs(v)); },
                        .h = [](double v) { return 0.7 * std::tanh(1.5 * v); }};
  const OpCase op{"LSTM",
                  14,
                  {{"input_forget", int64_t{1}},
                   {"activations", names({"HardSigmoid", "Softsign", "ScaledTanh"})},
                   {"activation_alpha", std::vector<float>{0.3f, 0.7f}},
                   {"activation_beta", std::vector<float>{0.4f, 1.5f}}}};
  expect_outputs(run_op(op, in.lstm(), 3), reference(s, in, {variant}, &Sequence::lstm_step));
}

TEST(Lstm, ClipsTheInputsOfItsActivations) {
  const Sizes s;
  const Inputs in(s);
  const auto clipped = [](Function f) { return [f](double v) { return f(std::clamp(v, -0.2, 0.2)); }; };
  const Variant variant{.f = clipped(sigmoid), .g = clipped(tanh_of), .h = clipped(tanh_of)};
  expect_outputs(run_op({"LSTM", 14, {{"clip", 0.2f}}}, in.lstm(), 3),
                 reference(s, in, {variant}, &Sequence::lstm_step));
}

/// Returns [a, b, n] as [b, a, n].
Tensor swap_first_two(const Tensor& x) {
  const int64_t a = x.dim(0), b = x.dim(1), n = x.size() / a / b;
  Shape shape = x.shape();
  std::swap(shape[0], shape[1]);
  Tensor y(x.dtype(), shape);
  for (int64_t i = 0; i < a * b; ++i)
    std::copy_n(x.data<float>() + i * n, n, y.data<float>() + (i % b * a + i / b) * n);
  return y;
}

TEST(Lstm, LayoutOnePutsTheBatchFirst) {
  Sizes s;
  s.directions = 2;
  Inputs in(s);
  const Outputs want = reference(s, in, {{}, {.reverse = true}}, &Sequence::lstm_step);
  in.x = swap_first_two(in.x), in.h = swap_first_two(in.h), in.c = swap_first_two(in.c);
  const auto got =
      run_op({"LSTM", 14, {{"layout", int64_t{1}}, {"direction", std::string("bidirectional")}}}, in.lstm(), 3);
  expect_close(got[1], swap_first_two(want.h), 2e-6);
  expect_close(got[2], swap_first_two(want.c), 2e-6);
  ASSERT_EQ(got[0].shape(), (Shape{s.batch, s.steps, 2, s.hidden}));
  for (int64_t i = 0; i < want.y.size(); ++i) {
    const int64_t k = i % s.hidden, b = i / s.hidden % s.batch, d = i / s.hidden / s.batch % 2,
                  t = i / s.hidden / s.batch / 2;
    EXPECT_NEAR(got[0].data<float>()[((b * s.steps + t) * 2 + d) * s.hidden + k], want.y.data<float>()[i], 2e-6);
  }
}

TEST(Lstm, ComputesOtherDtypes) {
  const Sizes s;
  const Inputs in(s);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    std::vector<Tensor> given = in.lstm();
    for (Tensor& tensor : given) tensor = tensor ? cast_to(tensor, dtype) : tensor;
    const double tolerance = dtype == DType::kFloat64 ? 1e-6 : dtype == DType::kFloat16 ? 2e-3 : 2e-2;
    expect_outputs(run_op({"LSTM", 22}, given, 3, {1, 2, 3}), reference(s, in, {Variant()}, &Sequence::lstm_step),
                   tolerance);
  }
}

TEST(Lstm, LargeProductsRunInParallel) {
  Sizes s;
  s.steps = 2, s.batch = 33, s.input = 20, s.hidden = 200, s.directions = 2;
  Inputs in(s);
  for (float* r = in.r.data<float>(); r != in.r.data<float>() + in.r.size(); ++r) *r *= 0.1f;
  const OpCase op{"LSTM", 14, {{"direction", std::string("bidirectional")}}};
  expect_outputs(run_op(op, in.lstm(), 3, {1, 2, 3}), reference(s, in, {{}, {.reverse = true}}, &Sequence::lstm_step),
                 5e-6);
}

TEST(Lstm, IsBitwiseEqualForAnyNumberOfThreads) {
  Sizes s;
  s.steps = 3, s.batch = 9, s.input = 50, s.hidden = 150, s.directions = 2;
  const Inputs in(s);
  const OpCase op{"LSTM", 14, {{"direction", std::string("bidirectional")}}};
  const auto one = run_op(op, in.lstm(), 3, {1, 2, 3}, Isa::kAuto, 1);
  for (const int threads : {2, 3, 8}) {
    const auto got = run_op(op, in.lstm(), 3, {1, 2, 3}, Isa::kAuto, threads);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(identical(one[i], got[i]));
  }
}

TEST(Lstm, RejectsInputsThatDoNotFit) {
  const Sizes s;
  Inputs in(s);
  in.lengths = Tensor::of<int32_t>({3, 6, 0});
  expect_error(ErrorKind::kShape, "sequence_lens must be in [0, 5], got 6", [&] {
    run_op({"LSTM", 14}, in.lstm(), 3);
  });
  in.lengths = Tensor();
  in.w = random_tensor({1, 20, 4});
  expect_error(ErrorKind::kShape, "W must be", [&] { run_op({"LSTM", 14}, in.lstm(), 3); });
  expect_error(ErrorKind::kModel, "'Sine' is unknown", [&] {
    run_op({"RNN", 14, {{"activations", names({"Sine"})}}}, in.gru(), 2);
  });
  expect_error(ErrorKind::kModel, "direction", [&] {
    run_op({"RNN", 14, {{"direction", std::string("up")}}}, in.gru(), 2);
  });
}

TEST(Recurrent, EveryDimOfEveryInputButTheStepsMustFit) {
  const Sizes s;
  const char* names[] = {"X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"};
  Inputs whole(s);
  whole.lengths = Tensor::of<int32_t>({3, 5, 0});
  for (size_t i = 1; i < 8; ++i) {
    for (int d = 0; d < whole.lstm()[i].rank(); ++d) {
      std::vector<Tensor> inputs = whole.lstm();
      Shape shape = inputs[i].shape();
      ++shape[d];
      inputs[i] = cast_to(random_tensor(shape), inputs[i].dtype());
      // R determines the hidden size, so the inputs before it in the list do not match.
      const std::string name = i == 2 && d == 2 ? "W" : names[i];
      expect_error(ErrorKind::kShape, name + " must be", [&] { run_op({"LSTM", 14}, inputs, 3); });
    }
  }
}

TEST(Gru, MatchesItsEquationsInBothForms) {
  for (const bool linear : {false, true}) {
    Sizes s;
    s.directions = 2, s.gates = 3;
    Inputs in(s);
    in.lengths = Tensor::of<int32_t>({5, 2, 4});
    const std::vector<Variant> variants{{.linear_before_reset = linear},
                                        {.reverse = true, .linear_before_reset = linear}};
    const OpCase op{"GRU", 14, {{"direction", std::string("bidirectional")}, {"linear_before_reset", int64_t{linear}}}};
    const Outputs want = reference(s, in, variants, &Sequence::gru_step);
    for (const Isa isa : supported_isas()) expect_outputs(run_op(op, in.gru(), 2, {1, 2, 3}, isa), want);
    expect_outputs(run_op(op, in.gru(), 2), want);
  }
}

TEST(Gru, ComputesHalfPrecision) {
  Sizes s;
  s.gates = 3;
  const Inputs in(s);
  std::vector<Tensor> given = in.gru();
  for (Tensor& tensor : given) tensor = tensor ? cast_to(tensor, DType::kFloat16) : tensor;
  expect_outputs(run_op({"GRU", 14}, given, 2), reference(s, in, {Variant()}, &Sequence::gru_step), 2e-3);
}

TEST(Rnn, MatchesItsEquation) {
  Sizes s;
  s.directions = 2, s.gates = 1;
  const Inputs in(s);
  const auto relu = [](double v) { return std::fmax(v, 0); };
  const OpCase op{"RNN", 7, {{"direction", std::string("bidirectional")}, {"activations", names({"Tanh", "RELU"})}}};
  expect_outputs(run_op(op, in.gru(), 2),
                 reference(s, in, {{.f = tanh_of}, {.reverse = true, .f = relu}}, &Sequence::rnn_step));
}

/// Returns a model of the last hidden state of X, with any number of steps and no inputs. Y is omitted.
Model last_state_of(const std::string& op_type, int64_t gates, int64_t hidden) {
  Graph graph(std::make_shared<Registry>(standard_registry()));
  const ValueId x = graph.add_input("X", Fact(DType::kFloat32, Dims{Dim("steps"), 1, 0}));
  const ValueId w = graph.add_input("W", Fact(DType::kFloat32, Shape{1, gates * hidden, 0}));
  const ValueId r = graph.add_input("R", Fact(DType::kFloat32, Shape{1, gates * hidden, hidden}));
  const NodeSpec spec{.op_type = op_type, .name = "node", .opset = 14};
  graph.add_output("Y_h", graph.node(graph.add_node(spec, {x, w, r}, {"", "Y_h"})).outputs[1]);
  return make_model(std::move(graph), {});
}

std::vector<Tensor> of_steps(int64_t steps, int64_t gates, int64_t hidden) {
  return {random_tensor({steps, 1, 0}), random_tensor({1, gates * hidden, 0}),
          random_tensor({1, gates * hidden, hidden})};
}

TEST(Recurrent, RefusesStepsWhoseMemoryCannotBeCounted) {
  for (const auto& [op_type, gates] :
       std::vector<std::pair<std::string, int64_t>>{{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}}) {
    for (const int64_t steps : {int64_t{1} << 60, (int64_t{1} << 61) - 1, (int64_t{1} << 62) - 1}) {
      Context context(last_state_of(op_type, gates, 4));
      const std::vector<Tensor> inputs = of_steps(steps, gates, 4);
      expect_error(ErrorKind::kLimit, "size overflow", [&] { context.run(inputs); });
    }
  }
}

TEST(Recurrent, CountsItsStateAsMemoryOfTheRun) {
  ContextOptions options;
  options.limits.memory_bytes = 1 << 20;
  Context context(last_state_of("LSTM", 4, 4), options);
  expect_error(ErrorKind::kLimit, "more than the limit", [&] { context.run(of_steps(1 << 20, 4, 4)); });
  expect_close(context.run(of_steps(1, 4, 4))[0], Tensor::of<float>({1, 1, 4}, {0, 0, 0, 0}));
}

}  // namespace
}  // namespace linnet::testing

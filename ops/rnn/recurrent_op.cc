#include "rnn/recurrent_op.h"

#include <algorithm>

namespace linnet {
namespace {

int64_t count_directions(const std::string& direction) {
  if (direction == "forward" || direction == "reverse") return 1;
  if (direction == "bidirectional") return 2;
  throw Error(ErrorKind::kModel,
              str("direction must be 'forward', 'reverse' or 'bidirectional', got '", direction, "'"));
}

// Checks the dims of a fact against the wanted ones if both are known, and records that they are equal.
void require_dims(const Fact& fact, const Dims& wanted, const char* what) {
  require_rank(fact, int(wanted.size()), what);
  for (size_t i = 0; fact.has_rank() && i < wanted.size(); ++i) {
    const Dim& dim = fact.dim(int(i));
    learn_equal(dim, wanted[i]);
    if (wanted[i].known() && dim.known() && dim.value() != wanted[i].value()) {
      throw Error(ErrorKind::kShape, str(what, " must be ", Fact(fact.dtype, wanted), ", got ", fact));
    }
  }
}

Dim dim_or_open(const Fact& fact, int i) { return fact.has_rank() ? fact.dim(i) : Dim(); }

}  // namespace

RecurrentOp::RecurrentOp(const NodeSpec& node, int64_t gates, int states,
                         const std::vector<std::string>& default_activations)
    : gates_(gates),
      states_(states),
      direction_(node.attr_or("direction", "forward")),
      directions_(count_directions(direction_)),
      batch_first_(node.attr_or("layout", false)),
      clip_(node.attr_or("clip", 0.0f)),
      hidden_size_(node.has("hidden_size") ? std::optional(node.attr<int64_t>("hidden_size")) : std::nullopt),
      activations_(gate_activations(node, default_activations, int(directions_))),
      num_outputs_(node.num_outputs) {}

void RecurrentOp::check_inputs(std::span<const Fact> in) const {
  require_inputs(in, 3, states_ == 2 ? 8 : 6);
  require_floating(in[kX], "X");
  require_rank(in[kX], 3, "X");
  require_rank(in[kR], 3, "R");
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].present() && i != kSequenceLens) require_same_dtype(in[kX], in[i], "all floating-point inputs");
  }
  const Dim hidden = dim_or_open(in[kR], 2), batch = dim_or_open(in[kX], batch_first_ ? 0 : 1);
  if (hidden_size_ && hidden.known() && hidden.value() != *hidden_size_) {
    throw Error(ErrorKind::kShape, str("R must be of hidden_size ", *hidden_size_, ", got ", in[kR]));
  }
  const Dim directions(directions_);
  const Dims state = batch_first_ ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
  require_dims(in[kW], {directions, checked_mul(gates_, hidden), dim_or_open(in[kX], 2)}, "W");
  require_dims(in[kR], {directions, checked_mul(gates_, hidden), hidden}, "R");
  if (has_input(in, kB)) require_dims(in[kB], {directions, checked_mul(2 * gates_, hidden)}, "B");
  if (has_input(in, kSequenceLens)) {
    require_dtype(in[kSequenceLens], DType::kInt32, "sequence_lens");
    require_dims(in[kSequenceLens], {batch}, "sequence_lens");
  }
  if (has_input(in, kInitialH)) require_dims(in[kInitialH], state, "initial_h");
  if (has_input(in, kInitialC)) require_dims(in[kInitialC], state, "initial_c");
  if (has_input(in, kPeepholes)) require_dims(in[kPeepholes], {directions, checked_mul(3, hidden)}, "P");
}

std::vector<Fact> RecurrentOp::infer(std::span<const Fact> in) const {
  check_inputs(in);
  const DType dtype = in[kX].dtype;
  const Dim first = dim_or_open(in[kX], 0), second = dim_or_open(in[kX], 1);
  const Dim hidden = dim_or_open(in[kR], 2), directions(directions_);
  const Dims y = batch_first_ ? Dims{first, second, directions, hidden} : Dims{first, directions, second, hidden};
  const Dims state = batch_first_ ? Dims{first, directions, hidden} : Dims{directions, second, hidden};
  std::vector<Fact> out{Fact(dtype, y)};
  for (int i = 1; i < std::min(num_outputs_, states_ + 1); ++i) out.push_back(Fact(dtype, state));
  return out;
}

RecurrentSizes RecurrentOp::sizes(const CompileInput& in) const {
  const Shape x = in.shape(kX);
  return {.steps = x[batch_first_ ? 1 : 0],
          .batch = x[batch_first_ ? 0 : 1],
          .input = x[2],
          .hidden = in.shape(kR)[2],
          .directions = directions_,
          .gates = gates_,
          .batch_first = batch_first_};
}

int64_t RecurrentOp::multiply_adds(const NodeValues& values) const {
  const Tensor& x = values.in(kX);
  int64_t steps = checked_mul(x.dim(0), x.dim(1));
  if (values.has(kSequenceLens)) {
    steps = 0;
    for (const int32_t length : values.in(kSequenceLens).values<int32_t>()) {
      steps += std::clamp<int64_t>(length, 0, x.dim(batch_first_ ? 1 : 0));
    }
  }
  return checked_mul(steps, checked_add(values.in(kW).size(), values.in(kR).size()));
}

}  // namespace linnet

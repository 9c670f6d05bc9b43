#include "building_blocks.h"
#include "constants.h"
#include "export_error.h"
#include "rule_list.h"

// Recurrent layers and cells. ONNX has an operator for each layer, with the gates in another order.
// Source: https://onnx.ai/onnx/operators/onnx__LSTM.html
namespace linnet::exporter {
namespace {

/// A recurrent operator of ONNX. `gates` are the positions of its gates among PyTorch's.
struct Kind {
  std::string op_type;
  Integers gates;
  std::string activation;  ///< unless it is the operator's default
};

const Kind kLstm{"LSTM", {0, 3, 1, 2}, ""};  // i f c o in PyTorch, i o f c in ONNX
const Kind kGru{"GRU", {1, 0, 2}, ""};       // r z n in PyTorch, z r n in ONNX
const Kind kTanh{"RNN", {0}, "Tanh"};
const Kind kRelu{"RNN", {0}, "Relu"};

/// The parameters of one layer, with the directions stacked along axis 0.
struct Weights {
  List<Tensor> input, hidden, bias;
};

Tensor in_order(const Tensor& rows, const Kind& kind) {
  const int64_t size = (rows.rank() == 0 ? 0 : rows.dim(0)) / int64_t(kind.gates.size());
  List<Tensor> ordered;
  for (const int64_t gate : kind.gates) ordered.push_back(rows_of(rows, gate * size, (gate + 1) * size));
  return joined_rows(ordered);
}

/// Adds one direction: its weights for the input and for the state, then both biases or none.
void add_direction(Weights& weights, const Kind& kind, const List<Tensor>& parameters) {
  weights.input.push_back(in_order(parameters[0], kind));
  weights.hidden.push_back(in_order(parameters[1], kind));
  if (weights.hidden.back().rank() != 2) throw ExportError("the weights of the state are not a matrix");
  if (parameters.size() < 4) return;
  weights.bias.push_back(joined_rows({in_order(parameters[2], kind), in_order(parameters[3], kind)}));
}

/// Returns Y [steps, directions, n, hidden], the last states, and the last cells of an LSTM.
Names emit_layer(Call& call, const Kind& kind, const std::string& x, const Names& states, const Weights& weights) {
  const auto directions = int64_t(weights.input.size());
  Attributes attributes{{"hidden_size", weights.hidden[0].dim(1)}};
  if (directions == 2) attributes["direction"] = std::string("bidirectional");
  if (kind.op_type == "GRU") attributes["linear_before_reset"] = 1;
  if (!kind.activation.empty())
    attributes["activations"] = std::vector<std::string>(size_t(directions), kind.activation);
  Names inputs{x, call.constant_of(stacked(weights.input)), call.constant_of(stacked(weights.hidden)),
               weights.bias.empty() ? "" : call.constant_of(stacked(weights.bias)), ""};
  inputs.insert(inputs.end(), states.begin(), states.end());
  return call.emit_many(kind.op_type, inputs, attributes, 1 + states.size());
}

std::string turned(Call& call, const std::string& x, bool turn) {
  return turn ? call.emit("Transpose", {x}, {{"perm", Integers{1, 0, 2}}}) : x;
}

/// Returns [steps, directions, n, hidden] as [steps, n, directions * hidden].
std::string joined(Call& call, const std::string& y, int64_t directions, int64_t hidden) {
  if (directions == 1) return change_axes(call, "Squeeze", y, {1});
  const std::string beside = call.emit("Transpose", {y}, {{"perm", Integers{0, 2, 1, 3}}});
  return call.emit("Reshape", {beside, call.constant_of({0, 0, checked_mul(directions, hidden)})});
}

void refuse_training(Call& call) {
  if (call.flag("train") && call.number("dropout") != 0) {
    call.refuse("its dropout is random; export a module in evaluation mode");
  }
}

/// Emits all layers. `states` are the initial states, [layers * directions, n, hidden].
void emit_stack(Call& call, const Kind& kind, const Names& states) {
  refuse_training(call);
  if (!call.constant("params")) call.refuse("its weights depend on the model's inputs");
  List<Tensor> parameters;
  for (const TensorInfo& parameter : call.tensors("params")) parameters.push_back(parameter.contents);
  const int64_t layers = call.positive("num_layers"), directions = call.flag("bidirectional") ? 2 : 1;
  const size_t count = call.flag("has_biases") ? 4 : 2;
  if (int64_t(parameters.size() / count) != checked_mul(layers, directions) || parameters.size() % count != 0)
    call.refuse("ONNX has no projections of the state");
  std::string x = turned(call, call.value("input"), call.flag("batch_first"));
  List<Names> last(states.size());
  for (int64_t layer = 0; layer < layers; ++layer) {
    Weights weights;
    for (int64_t i = layer * directions; i < (layer + 1) * directions; ++i) {
      const auto begin = parameters.begin() + i * int64_t(count);
      add_direction(weights, kind, {begin, begin + int64_t(count)});
    }
    Names initial;
    for (const std::string& state : states) {
      initial.push_back(layers == 1 ? state : slice(call, state, 0, layer * directions, (layer + 1) * directions));
    }
    const Names y = emit_layer(call, kind, x, initial, weights);
    x = joined(call, y[0], directions, weights.hidden[0].dim(1));
    for (size_t i = 0; i < states.size(); ++i) last[i].push_back(y[i + 1]);
  }
  call.set_result(0, turned(call, x, call.flag("batch_first")));
  for (size_t i = 0; i < states.size(); ++i) {
    call.set_result(i + 1, layers == 1 ? last[i][0] : call.emit("Concat", last[i], {{"axis", 0}}));
  }
}

void lstm(Call& call) { emit_stack(call, kLstm, call.values("hx")); }

Lowering stack_of(const Kind& kind) {
  return [&kind](Call& call) { emit_stack(call, kind, {call.value("hx")}); };
}

void refuse_packed(Call& call) {
  call.refuse("packed sequences have no form in ONNX; pass padded tensors, and lengths to mask the result with");
}

/// Emits one step as the operator on a sequence of length 1.
void emit_cell(Call& call, const Kind& kind, Names states) {
  for (const char* name : {"w_ih", "w_hh"}) {
    if (!call.constant(name)) call.refuse("its weights depend on the model's inputs");
  }
  List<Tensor> parameters{call.tensor("w_ih").contents, call.tensor("w_hh").contents};
  if (call.has("b_ih")) {
    parameters.insert(parameters.end(), {call.tensor("b_ih").contents, call.tensor("b_hh").contents});
  }
  Weights weights;
  add_direction(weights, kind, parameters);
  for (std::string& state : states) state = change_axes(call, "Unsqueeze", state, {0});
  const Names y = emit_layer(call, kind, change_axes(call, "Unsqueeze", call.value("input"), {0}), states, weights);
  for (size_t i = 0; i < states.size(); ++i) call.set_result(i, change_axes(call, "Squeeze", y[i + 1], {0}));
}

void lstm_cell(Call& call) { emit_cell(call, kLstm, call.values("hx")); }

Lowering cell_of(const Kind& kind) {
  return [&kind](Call& call) { emit_cell(call, kind, {call.value("hx")}); };
}

}  // namespace

void register_recurrent(Lowerings& lowerings) {
  lowerings.add("aten::lstm.input", lstm);
  lowerings.add("aten::gru.input", stack_of(kGru));
  lowerings.add("aten::rnn_tanh.input", stack_of(kTanh));
  lowerings.add("aten::rnn_relu.input", stack_of(kRelu));
  lowerings.add({"aten::lstm.data", "aten::gru.data", "aten::rnn_tanh.data", "aten::rnn_relu.data",
                 "aten::_pack_padded_sequence", "aten::_pad_packed_sequence"},
                refuse_packed);
  lowerings.add("aten::lstm_cell", lstm_cell);
  lowerings.add("aten::gru_cell", cell_of(kGru));
  lowerings.add("aten::rnn_tanh_cell", cell_of(kTanh));
  lowerings.add("aten::rnn_relu_cell", cell_of(kRelu));
}

}  // namespace linnet::exporter

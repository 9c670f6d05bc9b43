#include "building_blocks.h"
#include "rule_list.h"

// Operators that return their input: copies, which a graph does not need, and dropout, which only has an effect in
// training.
namespace linnet::exporter {
namespace {

void identity(Call& call) { call.set(call.value()); }

/// The in-place form names its argument differently.
std::string dropped_argument(Call& call) { return call.has("self") ? "self" : "input"; }

/// Whether the call is in training mode and drops elements. A native dropout trains unless the call states otherwise.
bool drops(Call& call) { return (!call.has("train") || call.flag("train")) && call.number("p") > 0; }

/// In training mode, ONNX's operator samples a new mask in each run.
Names dropout_and_mask(Call& call) {
  const std::string x = call.value(dropped_argument(call));
  const double p = call.number("p");
  if (!(p < 1)) call.refuse("p must be below 1");
  return call.emit_many("Dropout", {x, call.scalar(p, call.dtype()), call.scalar(1, DType::kBool)}, {}, 2);
}

void dropout(Call& call) { call.set(drops(call) ? dropout_and_mask(call)[0] : call.value(dropped_argument(call))); }

/// Also returns the mask, which contains the elements that stay.
void native_dropout(Call& call) {
  if (drops(call)) {
    const Names both = dropout_and_mask(call);
    call.set_result(0, both[0]);
    return call.set_result(1, both[1]);
  }
  call.set_result(0, call.value("input"));
  const std::string shape = call.emit("Shape", {call.value("input")});
  call.set_result(1, call.emit("Expand", {call.scalar(1, DType::kBool), shape}));
}

/// ONNX has no operator that drops whole channels or preserves mean and variance.
void other_dropout(Call& call) {
  if (drops(call)) call.refuse("it is random in training; export a module that is in evaluation mode");
  call.set(call.value(dropped_argument(call)));
}

}  // namespace

void register_identity(Lowerings& lowerings) {
  lowerings.add({"aten::contiguous", "aten::clone", "aten::detach", "aten::alias", "aten::positive", "aten::lift_fresh",
                 "aten::lift_fresh_copy", "aten::resolve_conj", "aten::resolve_neg", "aten::cpu"},
                identity);
  lowerings.add("aten::dropout", dropout);
  lowerings.add("aten::native_dropout", native_dropout);
  lowerings.add({"aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout"}, other_dropout);
}

}  // namespace linnet::exporter

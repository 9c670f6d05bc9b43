#include "building_blocks.h"
#include "rule_list.h"

// Operators that give their input: copies, which a graph does not need, and dropout, which does nothing but in
// training.
namespace linnet::exporter {
namespace {

void identity(Call& call) { call.set(call.value()); }

/// The form in place names its argument differently.
void dropout(Call& call) { call.set(call.value(call.has("self") ? "self" : "input")); }

}  // namespace

void register_identity(Lowerings& lowerings) {
  lowerings.add({"aten::contiguous", "aten::clone", "aten::detach", "aten::alias", "aten::positive", "aten::lift_fresh",
                 "aten::lift_fresh_copy", "aten::resolve_conj", "aten::resolve_neg", "aten::cpu"},
                identity);
  lowerings.add({"aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout"},
                dropout);
}

}  // namespace linnet::exporter

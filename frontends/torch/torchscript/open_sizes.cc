#include <ATen/ATen.h>

#include <algorithm>
#include <set>

#include "tracer.h"

// Follows sizes that differ between runs by the examples in which they differ. A size that may differ, but is equal in
// all examples, is refused, because a rule would treat it as a constant.
namespace linnet::exporter::torchscript {
namespace {

bool is_int(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::IntType || type->kind() == c10::TypeKind::SymIntType;
}

bool makes_range(const std::string& operator_name) {
  return operator_name.rfind("aten::arange", 0) == 0 || operator_name.rfind("aten::range", 0) == 0;
}

/// Whether the numbers of an operator are positions, which do not affect sizes.
bool takes_positions(const std::string& operator_name) {
  static const std::set<std::string> names{"aten::select.int",
                                           "aten::select_scatter",
                                           "aten::roll",
                                           "aten::tril",
                                           "aten::triu",
                                           "aten::slice_scatter",
                                           "aten::tril_",
                                           "aten::triu_",
                                           "aten::embedding",
                                           "aten::embedding_bag",
                                           "aten::embedding_bag.padding_idx"};
  return names.contains(operator_name);
}

/// Whether an operator returns the same number of elements for several sizes of its input.
bool rounds_sizes(const std::string& operator_name) {
  static const char* const prefixes[] = {"aten::slice.",       "aten::max_pool", "aten::avg_pool", "aten::conv",
                                         "aten::_convolution", "aten::unfold",   "aten::im2col",   "aten::upsample"};
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](const char* prefix) { return operator_name.rfind(prefix, 0) == 0; });
}

bool has_axes(const Value& leaf) { return leaf.is_tensor() && leaf.tensor().defined() && leaf.tensor().dim() > 0; }

/// Whether the sizes of some leaf differ between examples. Numbers have no sizes.
bool sizes_differ(const std::vector<Value>& values) {
  bool differ = false;
  for (Value value : values) {
    for_each_leaf(value, [&](const Value& leaf) {
      differ = differ || (has_axes(leaf) && has_one_rank(leaf) && dynamic_axes(leaf) > 0);
    });
  }
  return differ;
}

size_t most_dynamic_axes(const std::vector<Value>& values, bool of_contents) {
  size_t most = 0;
  for (Value value : values) {
    for_each_leaf(value, [&](const Value& leaf) {
      if (has_axes(leaf) && (leaf.of_contents || !of_contents)) most = std::max(most, dynamic_axes(leaf));
    });
  }
  return most;
}

/// Describes the integer arguments of a call.
struct Numbers {
  bool open = false;         ///< whether some depend on the inputs
  bool of_contents = false;  ///< whether some of these depend on the contents of the inputs
  bool listed_ones_agree = false;
};

Numbers numbers_of(const torch::jit::Node& node, const std::string& operator_name, const std::vector<Value>& inputs) {
  Numbers numbers;
  const std::vector<c10::Argument>& arguments = node.schema().arguments();
  for (size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i) {
    c10::TypePtr type = arguments[i].type();
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    const bool list = type->kind() == c10::TypeKind::ListType;
    if (list) type = type->cast<c10::ListType>()->getElementType();
    const bool bound = type->kind() == c10::TypeKind::NumberType && makes_range(operator_name);
    if (inputs[i].constant() || !(is_int(type) || bound)) continue;
    Value value = inputs[i];
    for_each_leaf(value, [&](const Value& leaf) {
      if (leaf.constant()) return;
      numbers.open = true;
      numbers.of_contents = numbers.of_contents || leaf.of_contents;
      numbers.listed_ones_agree = numbers.listed_ones_agree || (list && leaf.agrees());
    });
  }
  return numbers;
}

}  // namespace

void Tracer::refuse_equal_sizes(const Node& node, const std::string& reason) const {
  throw EqualSizes(Site(node).operator_name() + ": " + reason +
                   ", but it was the same for all examples: other sizes or numbers of an input may show where it "
                   "counts; at " +
                   Site(node).source());
}

void Tracer::follow_sizes(const Node& node, const std::vector<Value>& inputs, std::vector<Value>& results,
                          bool decided_by_rule) {
  const std::string name = Site(node).operator_name();
  const Numbers numbers = takes_positions(name) ? Numbers() : numbers_of(node, name, inputs);
  const bool of_contents = decided_by_rule || numbers.of_contents;
  bool sizes = of_contents, number = false;
  for (Value input : inputs) {
    for_each_leaf(input, [&](const Value& leaf) {
      if (leaf.constant()) return;
      sizes = sizes || (has_axes(leaf) && leaf.of_contents);
      number = number || has_axes(leaf) || leaf.of_contents;
    });
  }
  bool makes_tensors = false;
  for (Value& result : results) {
    makes_tensors = makes_tensors || result.is_container();
    for_each_leaf(result, [&](Value& leaf) {
      makes_tensors = makes_tensors || has_axes(leaf);
      leaf.of_contents = has_axes(leaf) ? sizes : number;
    });
  }
  if (one_example_ || !makes_tensors) return;
  if (numbers.listed_ones_agree) refuse_equal_sizes(node, "a number that depends on the inputs decides on a size");
  if ((decided_by_rule || numbers.open) && !sizes_differ(results)) {
    refuse_equal_sizes(node, "the contents of the inputs decide on the size of its result");
  }
  if (rounds_sizes(name) && most_dynamic_axes(inputs, true) > most_dynamic_axes(results, false)) {
    refuse_equal_sizes(node, "the contents of the inputs decide on the size of its result");
  }
}

}  // namespace linnet::exporter::torchscript

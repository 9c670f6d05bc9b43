#include "lower_call.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string_view>

#include "export_error.h"
#include "linnet/error.h"
#include "pairs.h"

namespace linnet::exporter {
namespace {

// PyTorch's tensors do not exceed these limits. Within them, products of a tensor's sizes cannot overflow.
constexpr int64_t kMostAxes = 64, kMostElementsOfTensor = int64_t{1} << 48;

/// Checks that a tensor can have these sizes, and that its contents, if they are known, have them.
void check_tensor(const Site& site, const TensorInfo& tensor) {
  if (tensor.dim() > kMostAxes) site.refuse(text_of("a tensor has ", tensor.dim(), " axes"));
  int64_t elements = 1;
  for (const int64_t size : tensor.sizes) {
    if (size < 0 || size > kMostElementsOfTensor / elements)
      site.refuse(text_of("a tensor has an axis of size ", size));
    elements *= std::max<int64_t>(size, 1);
  }
  const Tensor& known = tensor.contents;
  if (known && (known.dtype() != tensor.dtype || !std::ranges::equal(known.shape(), tensor.sizes))) {
    site.refuse(text_of("a tensor's contents are ", known.dtype(), " ", known.shape(), ", which it is not"));
  }
}

void check_value(const Site& site, const Value& value) {
  for (const Value& element : value.elements) check_value(site, element);
  for (const Concrete& one : value.concrete) {
    if (one.is_tensor()) check_tensor(site, one.tensor());
  }
}

/// Calls the rule. All its errors name the operator.
void apply(const Site& site, const Lowering& rule, Call& call) {
  try {
    rule(call);
  } catch (const NeedsOpset&) {
    throw;
  } catch (const ExportError& error) {
    if (std::string_view(error.what()).starts_with(site.operator_name)) throw;
    site.refuse(error.what());
  } catch (const std::out_of_range&) {
    site.refuse("a list or a shape is shorter than its operator needs");
  } catch (const Error& error) {
    site.refuse(error.message());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    site.refuse(text_of("its arguments do not fit together: ", error.what()));
  }
}

void take_names(const std::vector<Value>& from, std::vector<Value>& to) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].name = from[i].name;
    for (size_t k = 0; k < to[i].elements.size(); ++k) to[i].elements[k].name = from[i].elements[k].name;
  }
}

bool lower_checked(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                   std::vector<Value>& results, OnnxBuilder& builder, size_t examples) {
  const std::string unset = kUnset + site.operator_name + "; at " + site.source;
  OnnxGraph other;
  bool decided_by_contents = false;
  for (size_t e = examples; e-- > 0;) {
    for (Value& result : results) for_each_leaf(result, [&](Value& leaf) { leaf.name = unset; });
    const OnnxBuilder::Mark mark = builder.mark();
    Call call(site, arguments, results, builder, e);
    apply(site, rule, call);
    decided_by_contents = decided_by_contents || call.is_decided_by_contents();
    if (e > 0) {
      other = builder.take_back(mark);
    } else if (examples > 1 && !builder.is_same_since(mark, other)) {
      site.refuse("its nodes are not the same for all sizes of the dynamic axes");
    }
  }
  return decided_by_contents;
}

}  // namespace

const Lowering* find_rule(const Lowerings& rules, const std::string& operator_name, const Site& site,
                          const std::vector<Value>& arguments, const std::vector<Value>& results) {
  const bool on_complex = has_complex(arguments) || has_complex(results);
  if (on_complex && operator_name != site.operator_name) site.refuse("it writes complex numbers in place");
  if (!on_complex || serves_pairs(operator_name)) return rules.find(operator_name);
  const Lowering* rule = rules.find("complex " + operator_name);
  if (!rule) site.refuse("there is no rule for it on complex numbers");
  return rule;
}

bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples) {
  for (const Value& argument : arguments) check_value(site, argument);
  for (const Value& result : results) check_value(site, result);
  const bool on_pairs = serves_pairs(site.operator_name) && (has_complex(arguments) || has_complex(results));
  if (!on_pairs) return lower_checked(site, rule, arguments, results, builder, examples);
  std::vector<Value> pairs = as_pairs(results);
  const bool decided =
      lower_checked(site, rule, arguments_of_pairs(site, arguments, results), pairs, builder, examples);
  take_names(pairs, results);
  return decided;
}

}  // namespace linnet::exporter

#include "lower_call.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string_view>

#include "export_error.h"
#include "linnet/error.h"

namespace linnet::exporter {
namespace {

// No tensor of PyTorch has more. Below them, products of a tensor's sizes are far from an overflow.
constexpr int64_t kMostAxes = 64, kMostElementsOfTensor = int64_t{1} << 48;

/// A tensor can have these sizes, and its contents, where they are known, do.
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

/// Calls the rule. Whatever it throws names the operator.
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

}  // namespace

bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples) {
  const std::string unset = kUnset + site.operator_name + "; at " + site.source;
  OnnxGraph other;
  for (const Value& argument : arguments) check_value(site, argument);
  for (const Value& result : results) check_value(site, result);
  bool decided_by_contents = false;
  for (size_t e = examples; e-- > 0;) {
    for (Value& result : results) for_each_leaf(result, [&](Value& leaf) { leaf.name = unset; });
    const OnnxBuilder::Mark mark = builder.mark();
    Call call(site, arguments, results, builder, e);
    apply(site, rule, call);
    decided_by_contents = decided_by_contents || call.is_decided_by_contents();
    if (e > 0) {
      other = builder.since(mark);
      builder.take_back(mark);
    } else if (examples > 1 && !same_graph(other, builder.since(mark))) {
      site.refuse("its nodes are not the same for all sizes of the dynamic axes");
    }
  }
  return decided_by_contents;
}

}  // namespace linnet::exporter

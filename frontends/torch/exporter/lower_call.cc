#include "lower_call.h"

namespace linnet::exporter {

bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples) {
  const std::string unset = kUnset + site.operator_name + "; at " + site.source;
  OnnxGraph other;
  bool decided_by_contents = false;
  for (size_t e = examples; e-- > 0;) {
    for (Value& result : results) for_each_leaf(result, [&](Value& leaf) { leaf.name = unset; });
    const OnnxBuilder::Mark mark = builder.mark();
    Call call(site, arguments, results, builder, e);
    rule(call);
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

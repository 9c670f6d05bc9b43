#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {

// op(to_channels_first(x)) -> to_channels_first(op'(x)), for every kind of operator that can work channels-last. A
// single rewrite covers all kinds, so that a Transpose passes a whole chain in one sweep.
LINNET_DEFINE_REWRITE(sink_transposes)(const Graph& graph, const Node& node) {
  if (count_channels_last(graph, node) > 0) {
    for (const auto sink : {sink_through_elementwise, sink_through_quantization, sink_through_pool, sink_through_concat,
                            sink_through_slice, sink_through_reduction}) {
      if (auto patch = sink(graph, node)) return patch;
    }
  }
  return sink_through_channel_shuffle(graph, node);
}

}  // namespace linnet

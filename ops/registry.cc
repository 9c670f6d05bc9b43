#include "linnet/registry.h"

#include "op_list.h"
#include "rewrites/lower_precision.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

struct NamedRewrite {
  const char* name;
  std::optional<Patch> (*apply)(const Graph&, const Node&);
  bool last;
};

constexpr NamedRewrite kRewrites[] = {
#define LINNET_REWRITE(name) {#name, name, false},
#define LINNET_LAST_REWRITE(name) {#name, name, true},
#include "rewrites/rewrite_list.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_REWRITE
};

}  // namespace

Registry standard_registry() {
  Registry registry;
#define LINNET_OP(file) register_##file(registry);
#include "op_list.inc"
#undef LINNET_OP
  for (const auto& [name, apply, last] : kRewrites) registry.add_rewrite({name, apply, last});
  registry.set_lowering(lower_precision);
  return registry;
}

}  // namespace linnet

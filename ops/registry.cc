#include "linnet/registry.h"

#include "op_list.h"
#include "rewrites/rewrite_list.h"

namespace linnet {

Registry standard_registry() {
  Registry registry;
#define LINNET_OP(file) register_##file(registry);
#include "op_list.inc"
#undef LINNET_OP
#define LINNET_REWRITE(name) registry.add_rewrite({#name, name});
#include "rewrites/rewrite_list.inc"
#undef LINNET_REWRITE
  return registry;
}

}  // namespace linnet

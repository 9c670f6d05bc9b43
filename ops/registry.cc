#include "linnet/registry.h"

#include "graph/rewrite.h"
#include "registration.h"
#include "rewrites/compute_alike.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/growing_states.h"
#include "rewrites/linear_dims.h"
#include "rewrites/lower_precision.h"

namespace linnet {

// op_list.inc: written by the build from operators.txt of each folder.
#define LINNET_OP(name) Registration register_##name;
#include "op_list.inc"
#undef LINNET_OP

#define LINNET_REWRITE(name) RewriteFunction name;
#define LINNET_FIRST_REWRITE LINNET_REWRITE
#define LINNET_LAST_REWRITE LINNET_REWRITE
#include "rewrites/rewrite_list.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_FIRST_REWRITE
#undef LINNET_REWRITE

namespace {

std::vector<Rewrite> rewrites() {
  return {
#define LINNET_REWRITE(name) {#name, name, RewriteStage::kMiddle},
#define LINNET_FIRST_REWRITE(name) {#name, name, RewriteStage::kFirst},
#define LINNET_LAST_REWRITE(name) {#name, name, RewriteStage::kLast},
#include "rewrites/rewrite_list.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_FIRST_REWRITE
#undef LINNET_REWRITE
  };
}

}  // namespace

Registry standard_registry() {
  Registry registry;
#define LINNET_OP(name) register_##name(registry);
#include "op_list.inc"
#undef LINNET_OP
  Registry::Rewrites::set(registry, {.list = rewrites(),
                                     .lowering = lower_precision,
                                     .comparison = compute_alike,
                                     .linearity = linear_dims,
                                     .growing = growing_states});
  registry.standard_ = true;
  return registry;
}

}  // namespace linnet

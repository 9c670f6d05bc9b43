#include "linnet/registry.h"

#include "graph/rewrite.h"
#include "op_list.h"
#include "rewrites/compute_alike.h"
#include "rewrites/growing_states.h"
#include "rewrites/linear_dims.h"
#include "rewrites/lower_precision.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
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
#define LINNET_OP(file) register_##file(registry);
#include "op_list.inc"
#undef LINNET_OP
  Registry::Rewrites::add(registry, rewrites());
  Registry::Rewrites::set_lowering(registry, lower_precision);
  Registry::Rewrites::set_comparison(registry, compute_alike);
  Registry::Rewrites::set_linearity(registry, linear_dims);
  Registry::Rewrites::set_growing(registry, growing_states);
  registry.standard_ = true;
  return registry;
}

}  // namespace linnet

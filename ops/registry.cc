#include "linnet/registry.h"

#include "graph/registry_uses.h"
#include "graph/rewrite.h"
#include "registration.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/lower_precision.h"

namespace linnet {

// Written by the build: op_list.inc from operators.txt of each folder, built_rewrites.inc from rewrite_list.inc.
#define LINNET_OP(name) Registration register_##name;
#include "op_list.inc"
#undef LINNET_OP

#define LINNET_REWRITE(name) \
  RewriteFunction name;      \
  extern const RewriteRoots name##_roots;
#define LINNET_FIRST_REWRITE LINNET_REWRITE
#define LINNET_LAST_REWRITE LINNET_REWRITE
#include "built_rewrites.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_FIRST_REWRITE
#undef LINNET_REWRITE

namespace {

std::vector<Rewrite> rewrites() {
  return {
#define LINNET_REWRITE(name) {#name, name, RewriteStage::kMiddle, name##_roots},
#define LINNET_FIRST_REWRITE(name) {#name, name, RewriteStage::kFirst, name##_roots},
#define LINNET_LAST_REWRITE(name) {#name, name, RewriteStage::kLast, name##_roots},
#include "built_rewrites.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_FIRST_REWRITE
#undef LINNET_REWRITE
  };
}

}  // namespace

Registry standard_registry() {
  Registry registry;
#define LINNET_OP(name)   \
  registry.unit_ = #name; \
  register_##name(registry);
#include "op_list.inc"
#undef LINNET_OP
  registry.unit_.clear();
#ifdef LINNET_OPERATORS
  registry.left_out_ = "; this build has only the operators of LINNET_OPERATORS=" LINNET_OPERATORS;
#endif
  Registry::Rewrites::set(registry, {.list = rewrites(), .lowering = lower_precision});
  registry.uses_ = Registry::Uses::current();
  registry.standard_ = true;
  return registry;
}

}  // namespace linnet

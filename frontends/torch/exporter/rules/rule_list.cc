#include "rule_list.h"

namespace linnet::exporter {

Lowerings standard_lowerings() {
  Lowerings lowerings;
#define LINNET_RULES(name) register_##name(lowerings);
#include "rule_list.inc"
#undef LINNET_RULES
  return lowerings;
}

}  // namespace linnet::exporter

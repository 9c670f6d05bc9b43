// The two symbols that the library exports, in the version nodes of all releases.
#include "linnet/export.h"
#include "slots.h"

extern "C" {

LINNET_API const linnet::ort::ApiBase* linnet_ort_get_api_base();
LINNET_API linnet::ort::Status* linnet_ort_append_cpu(linnet::ort::SessionOptions* options, int use_arena);

const linnet::ort::ApiBase* linnet_ort_get_api_base() { return linnet::ort::base(); }

linnet::ort::Status* linnet_ort_append_cpu(linnet::ort::SessionOptions* options, int) {
  return linnet::ort::SessionOptionsAppendExecutionProvider(options, "CPU", nullptr, nullptr, 0);
}
}

#define ALIAS(own, symbol, release, sign)                                                                \
  asm(".globl " own "_" release "\n.type " own "_" release ", %function\n.set " own "_" release ", " own \
      "\n.symver " own "_" release ", " symbol sign "VERS_" release);
#define ALIASES(release, sign)                                     \
  ALIAS("linnet_ort_get_api_base", "OrtGetApiBase", release, sign) \
  ALIAS("linnet_ort_append_cpu", "OrtSessionOptionsAppendExecutionProvider_CPU", release, sign)
#include "versions.inc"

#pragma once

#include "linnet/options.h"
#include "linnet/registry.h"
#include "local_functions.h"
#include "proto.h"

namespace linnet {

/// Checks all nodes that the model reaches, through bodies and functions. Logs domains that nodes use without an
/// import.
/// Throws
/// - one Error(kUnsupported) that lists every operator that the registry lacks,
/// - Error(kModel) for functions that call themselves, and for domains that neither the model imports nor the registry
///   has,
/// - Error(kLimit) beyond limits.depth.
void check_operators(const pb::GraphProto& graph, const OpsetImports& opsets, const FunctionTable& functions,
                     const Registry& registry, const ModelOptions& options);

}  // namespace linnet

#pragma once

#include "linnet/options.h"
#include "linnet/registry.h"
#include "local_functions.h"
#include "proto.h"

namespace linnet {

/// Walks all nodes that the model reaches, through bodies and functions. Throws one Error(kUnsupported) that lists
/// every operator the registry lacks, Error(kModel) for functions that call themselves and domains that are neither
/// imported nor the registry's, Error(kLimit) beyond limits.depth. Logs the domains of nodes that are not imported.
void check_operators(const pb::GraphProto& graph, const OpsetImports& opsets, const FunctionTable& functions,
                     const Registry& registry, const ModelOptions& options);

}  // namespace linnet

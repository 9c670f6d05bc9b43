#pragma once

#include "linnet/registry.h"

namespace linnet {

/// The domain of the operators that only expansions and rewrites add.
inline constexpr const char* kInternalDomain = "linnet";
/// The domain of ONNX Runtime's own operators.
inline constexpr const char* kMicrosoft = "com.microsoft";

using Registration = void(Registry& registry);

/// Begins the function that registers the operators of a file: LINNET_REGISTER(clip)(Registry& registry) { ... }. The
/// build checks that the name is in operators.txt of the file's folder.
#define LINNET_REGISTER(name)   \
  Registration register_##name; \
  void register_##name

}  // namespace linnet

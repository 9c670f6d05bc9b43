#pragma once

#include <string>

#include "functions/function_table.h"
#include "kernels/epilogue.h"
#include "linnet/options.h"

namespace linnet {

/// Returns an epilogue of that activation alone. It is a clamp if the activation is one, otherwise the function of this
/// instruction set.
Epilogue make_epilogue(const Activation& activation, Isa isa);

/// The activation that an operator of the internal domain applies to its result. Its attributes are activation (a name
/// in the table of functions; none where it is absent, "" or "None"), activation_alpha and activation_beta, each with
/// `prefix` before its name. Throws Error(kModel) for functions that are unknown or have no kernel.
struct FusedActivation : Activation {
  explicit FusedActivation(const NodeSpec& node, const std::string& prefix = "");

  Epilogue epilogue(Isa isa) const { return make_epilogue(*this, isa); }
};

}  // namespace linnet

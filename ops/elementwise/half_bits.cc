#include "elementwise/half_bits.h"

#include "kernels/kernels_for.h"

namespace linnet {

HalfFunction half_function(const ElementwiseChain& chain, std::span<const DType> dtypes, Isa isa) {
  const auto& links = chain.links;
  if (chain.inputs != 1 || links.size() != 3 || links[0].op != kWidenLink || dtypes.front() != dtypes.back()) {
    return nullptr;
  }
  const HalfBitsKernels& kernels = kernels_for<HalfBitsKernels>(isa);
  const HalfFunctions& functions = dtypes.front() == DType::kFloat16 ? kernels.f16 : kernels.bf16;
  const std::string& op = links[1].op;
  if (op == "Abs") return functions.abs;
  if (op == "Neg") return functions.neg;
  if (op == "Relu") return functions.relu;
  return op == "Sign" ? functions.sign : nullptr;
}

}  // namespace linnet

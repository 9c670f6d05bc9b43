#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/node_spec.h"

namespace linnet {

/// A chain of element-wise operations: operand i is input i of the chain, or the result of link i - inputs. The last
/// link's result is the chain's. Operations take and give float32, but for those between float32 and bytes or halves.
struct ElementwiseChain {
  struct Link {
    std::string op;              ///< a name in the table of functions, or one of those below
    int64_t first, second = -1;  ///< operands; -1: none
    float alpha = 0, beta = 0;   ///< as the kernel of the operator takes them; scale and zero point between bytes
  };

  int64_t inputs = 0;
  std::vector<Link> links;

  ElementwiseChain() = default;
  /// From attributes ops, first, second, alpha and beta, lists of one entry per link. Throws Error(kModel) for lists of
  /// other lengths, unknown operators, operands that do not exist yet, scales that are not positive and finite, and
  /// zero points that no byte is.
  ElementwiseChain(const NodeSpec& node, int64_t inputs);

  void write(NodeSpec& node) const;
  /// The dtypes of all operands for inputs of the given ones: float32, float16, bfloat16, uint8 or int8. Throws
  /// Error(kType) for operands that a link does not take.
  std::vector<DType> dtypes(std::span<const DType> inputs) const;
};

/// Links that read bytes, and that write them: alpha is the scale, beta the zero point.
inline constexpr std::string_view kDequantizeLink = "DequantizeLinear", kQuantizeUint8Link = "QuantizeUint8",
                                  kQuantizeInt8Link = "QuantizeInt8";

/// Links that read float16 or bfloat16, and that round to them.
inline constexpr std::string_view kWidenLink = "Widen", kFloat16Link = "RoundToFloat16",
                                  kBFloat16Link = "RoundToBFloat16";

/// The most inputs and links of a chain.
inline constexpr int64_t kMostChainInputs = 8, kMostChainLinks = 16;

}  // namespace linnet

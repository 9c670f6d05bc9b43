#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/node_spec.h"

namespace linnet {

/// A chain of element-wise operations. Operand i is input i of the chain, or the result of link i - inputs. The last
/// link's result is that of the chain. Operations read and return float32, except for those between float32 and bytes
/// or 16-bit floats.
struct ElementwiseChain {
  struct Link {
    std::string op;              ///< a name in the table of functions, or a link name below
    int64_t first, second = -1;  ///< operands; -1: no second operand
    float alpha = 0, beta = 0;   ///< the kernel's parameters; scale and zero point for bytes
  };

  int64_t inputs = 0;
  std::vector<Link> links;

  ElementwiseChain() = default;
  /// Reads attributes ops, first, second, alpha and beta, lists with one entry per link. Throws Error(kModel) for lists
  /// of other lengths, unknown operators, operands that do not exist yet, scales that are not positive and finite, and
  /// zero points that are not bytes.
  ElementwiseChain(const NodeSpec& node, int64_t inputs);

  void write(NodeSpec& node) const;
  /// The dtypes of all operands for inputs of the given ones: float32, float16, bfloat16, uint8 or int8. Throws
  /// Error(kType) for operands that a link does not support.
  std::vector<DType> dtypes(std::span<const DType> inputs) const;
};

/// Links that read or write bytes: alpha is the scale, beta the zero point.
inline constexpr std::string_view kDequantizeLink = "DequantizeLinear", kQuantizeUint8Link = "QuantizeUint8",
                                  kQuantizeInt8Link = "QuantizeInt8";

/// Links that read float16 or bfloat16, or round to them.
inline constexpr std::string_view kWidenLink = "Widen", kFloat16Link = "RoundToFloat16",
                                  kBFloat16Link = "RoundToBFloat16";

/// The maximum number of inputs and links of a chain.
inline constexpr int64_t kMostChainInputs = 8, kMostChainLinks = 16;

}  // namespace linnet

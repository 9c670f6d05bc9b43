#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr auto shift_right = []<class T>(T x, T by) {
  const bool inside = by >= 0 && by < T(8 * sizeof(T));
  return inside ? static_cast<T>(x >> by) : static_cast<T>(x < 0 ? -1 : 0);
};

/// BitShift: the bits of x shifted by y places, element by element with broadcasting. A right shift preserves the sign
/// of signed numbers. A shift below 0 or beyond the width shifts all bits out.
/// x, y, z: integers of one dtype.
/// direction: "LEFT" or "RIGHT".
/// Source: https://onnx.ai/onnx/operators/onnx__BitShift.html
class BitShift final : public Op {
 public:
  explicit BitShift(const NodeSpec& node) : broadcast_(node) {
    const std::string& direction = node.attr<std::string>("direction");
    if (direction != "LEFT" && direction != "RIGHT") {
      throw Error(ErrorKind::kModel, str("direction must be 'LEFT' or 'RIGHT', got '", direction, "'"));
    }
    left_ = direction == "LEFT";
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in), dispatch_integer(in.dtype(0), [&]<class T>() -> InnerLoop {
                         if (!left_ && std::is_signed_v<T>) return binary_loop<T>(shift_right);
                         const WidthFunctions& kernels = *kernels_for<NumberKernels>(in.isa()).width(in.dtype(0));
                         return number_loop(left_ ? kernels.shift_left : kernels.shift_right, in);
                       }));
  }

 private:
  BinaryBroadcast broadcast_;
  bool left_;
};

}  // namespace

LINNET_REGISTER(bit_shift)(Registry& registry) { registry.add<BitShift>("BitShift", {.since = 11}); }

}  // namespace linnet

#include "infer/infer.h"
#include "math/elementwise.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Less, LessOrEqual, Greater, GreaterOrEqual: whether a < b (and so on), element by element with broadcasting (before
/// opset 7 by the attributes broadcast and axis). False where either is NaN.
/// a, b: numbers of one dtype.   y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__Less.html
template <class Compare, bool kSwapped>
class Comparison final : public Op {
 public:
  explicit Comparison(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in, DType::kBool); }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Source> sources = broadcast_.sources(in);
    if (kSwapped) std::swap(sources[0], sources[1]);
    return elementwise(in, sources,
                       dispatch_number(in.dtype(0), []<class T>() { return binary_loop<T, bool>(Compare()); }));
  }

 private:
  BinaryBroadcast broadcast_;
};

}  // namespace

void register_comparison(Registry& registry) {
  registry.add<Comparison<std::less<>, false>>("Less");
  registry.add<Comparison<std::less<>, true>>("Greater");
  registry.add<Comparison<std::less_equal<>, false>>("LessOrEqual", {.since = 12});
  registry.add<Comparison<std::less_equal<>, true>>("GreaterOrEqual", {.since = 12});
}

}  // namespace linnet

#include <algorithm>
#include <numbers>

#include "elements/dispatch.h"
#include "elements/wide.h"
#include "functions/number_functions.h"
#include "infer/checked_values.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// A sum of cosines: y[i] = a0 - a1 cos(2 pi i / length) + a2 cos(4 pi i / length).
struct Cosines {
  double a0, a1, a2;
};

class WindowKernel final : public Kernel {
 public:
  WindowKernel(const Cosines& cosines, double length, DType dtype, NumberFunction cosine)
      : cosines_(cosines), length_(length), write_(wide_writer(WideKind::kReal, dtype)), cosine_(cosine) {}

  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    parallel_items(context.executor(), y.size(), 16, [&](int64_t begin, int64_t end, int) {
      Wide block[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        compute(first, n, block);
        write_(block, y.raw(), first, n);
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 64;

  void compute(int64_t first, int64_t n, Wide* y) const {
    double once[kBlock], twice[kBlock];
    for (int64_t i = 0; i < n; ++i) {
      once[i] = 2 * std::numbers::pi * double(first + i) / length_;
      twice[i] = 2 * once[i];
    }
    const void *of_once[] = {once}, *of_twice[] = {twice};
    cosine_(of_once, once, n);
    if (cosines_.a2 != 0) cosine_(of_twice, twice, n);
    for (int64_t i = 0; i < n; ++i) y[i].d = cosines_.a0 - cosines_.a1 * once[i] + cosines_.a2 * twice[i];
  }

  Cosines cosines_;
  double length_;
  WideWriter write_;
  NumberFunction cosine_;  ///< of float64
};

Cosines cosines_of(const std::string& op_type) {
  if (op_type == "HannWindow") return {0.5, 0.5, 0};
  if (op_type == "HammingWindow") return {25.0 / 46, 21.0 / 46, 0};
  return {0.42, 0.5, 0.08};
}

/// HannWindow, HammingWindow, BlackmanWindow: the window of `size` elements. By default it is one period of a function
/// of that period; with periodic 0, it is symmetric (a window of one element is then the first element of a longer
/// one).
/// - size: int32/int64, one element
/// - output: [size], numbers of the attribute output_datatype (float)
/// Source: https://onnx.ai/onnx/operators/onnx__HannWindow.html (HammingWindow, BlackmanWindow)
class Window final : public Op {
 public:
  explicit Window(const NodeSpec& node)
      : cosines_(cosines_of(node.op_type)),
        periodic_(node.attr_or("periodic", true)),
        dtype_(dtype_attribute(node, "output_datatype", DType::kFloat32)) {
    dispatch_stored(dtype_, []<class T>() {});
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    const auto values = determined_ints(in[0]);
    if (!values) return {Fact(dtype_, Dims(1))};
    require_one_element(in[0], "size");
    if (values->front().known() && values->front().value() < 0) {
      throw Error(ErrorKind::kShape, str("size must not be negative, got ", values->front()));
    }
    return {Fact(dtype_, Dims{values->front()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const int64_t size = in.output_shape(0)[0];
    const int64_t length = std::max<int64_t>(1, periodic_ ? size : size - 1);
    return std::make_unique<WindowKernel>(cosines_, double(length), dtype_,
                                          number_function("Cos", DType::kFloat64, in.isa()));
  }

  std::vector<int> value_inputs() const override { return {0}; }

 private:
  Cosines cosines_;
  bool periodic_;
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(window_functions)(Registry& registry) {
  for (const char* name : {"BlackmanWindow", "HammingWindow", "HannWindow"}) {
    registry.add<Window>(name, {.since = 17});
  }
}

}  // namespace linnet

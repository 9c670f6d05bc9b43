// custom::my_add: y = 2 a + b with NumPy's broadcasting, for all floats and integers. See docs/custom_ops.md.
#include "my_ops.h"

using namespace linnet;

template <class T>
struct MyAddKernel final : Kernel {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap around

  void run(KernelContext& context) const override {
    const Tensor &a = context.input(0), &b = context.input(1);
    Tensor& y = context.output(0);
    for (int64_t i = 0; i < y.size(); ++i) {
      const T p = a.data<T>()[source(i, a.shape(), y.shape())], q = b.data<T>()[source(i, b.shape(), y.shape())];
      y.data<T>()[i] = static_cast<T>(2 * static_cast<Wide>(p) + static_cast<Wide>(q));
    }
  }
  static int64_t source(int64_t i, const Shape& x, const Shape& y) {  // the element of x that is broadcast to y[i]
    int64_t index = 0, stride = 1;
    for (int d = 1; d <= x.rank(); stride *= x[x.rank() - d], i /= y[y.rank() - d], ++d) {
      if (x[x.rank() - d] != 1) index += i % y[y.rank() - d] * stride;
    }
    return index;
  }
};

struct MyAdd final : Op {
  explicit MyAdd(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    if (in.size() != 2 || in[0].dtype != in[1].dtype) throw Error(ErrorKind::kType, "a and b must have the same dtype");
    return {Fact(in[0].dtype, broadcast(in[0].dims, in[1].dims))};
  }
  bool is_elementwise() const override { return true; }
  KernelPtr compile(const CompileInput& in) const override {
    // float16 and bfloat16 arrive as float32.
    return make_kernel<MyAddKernel, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                       uint64_t>(in.dtype(0));
  }
};

void add_my_add(Registry& registry) { registry.add<MyAdd>("my_add", {1, "custom"}); }

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "choices.h"
#include "one_node.h"
#include "target.h"

// Bytes choose an operator, its attributes and shapes. The best instruction set and the baseline must agree: bit for
// bit if values are small integers, so that sums are exact in any order. Runs with three threads and with guarded
// memory must return the bits of a run with one thread.
namespace linnet {
namespace {

/// Returns integers from -3 to 3, different for different tensors.
template <class T>
Tensor numbers(const Shape& shape, std::minstd_rand& random) {
  Tensor tensor(dtype_of<T>, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int value = int(random() % 7) - 3;
    tensor.data<T>()[i] = T(std::is_signed_v<T> ? value : value + 3);
  }
  return tensor;
}

class Drawing : public Choices {
 public:
  using Choices::Choices;

  int dim() { return flag() ? integer(1, 5) : integer(0, 40); }
  template <class T = float>
  Tensor tensor(const Shape& shape) {
    return numbers<T>(shape, random_);
  }
  template <class T = float>
  void input(OneNode& node, const Shape& shape) {
    flag() ? node.constant(tensor<T>(shape)) : node.input(tensor<T>(shape));
  }
  Shape shape(int low, int high) {
    Shape result;
    for (int rank = integer(low, high); rank > 0; --rank) result.push_back(integer(0, 3) ? integer(1, 9) : dim());
    return result;
  }
  std::vector<int64_t> integers(int count, int low, int high) {
    std::vector<int64_t> result(static_cast<size_t>(count));
    for (int64_t& value : result) value = integer(low, high);
    return result;
  }

 private:
  std::minstd_rand random_{7};
};

OneNode product(Drawing& draw) {
  OneNode node("MatMul");
  const int k = draw.dim();
  Shape a{draw.dim(), k}, b{k, draw.dim()};
  if (draw.flag()) a = Shape{draw.integer(1, 3), a[0], a[1]};
  node.input(draw.tensor(a));
  draw.input(node, b);
  return node;
}

OneNode gemm(Drawing& draw) {
  OneNode node("Gemm");
  const int m = draw.dim(), k = draw.dim(), n = draw.dim();
  const bool ta = draw.flag(), tb = draw.flag();
  node.input(draw.tensor(ta ? Shape{k, m} : Shape{m, k}));
  draw.input(node, tb ? Shape{n, k} : Shape{k, n});
  if (draw.flag()) draw.input(node, draw.flag() ? Shape{n} : Shape{m, 1});
  node.integer("transA", ta);
  node.integer("transB", tb);
  return node;
}

template <class X, class Y>
OneNode integer_product(Drawing& draw) {
  OneNode node("MatMulInteger");
  const int k = draw.dim();
  node.input(draw.tensor<X>({draw.dim(), k}));
  draw.input<Y>(node, {k, draw.dim()});
  if (draw.flag()) node.constant(draw.tensor<X>({}));
  return node;
}

/// Chooses pads, strides and dilations of images, for kernels of 1 to 4.
void window(Drawing& draw, OneNode& node) {
  node.integers("pads", draw.integers(4, 0, 2));
  node.integers("strides", draw.integers(2, 1, 3));
  node.integers("dilations", draw.integers(2, 1, 2));
}

void convolution_inputs(Drawing& draw, OneNode& node, bool transposed) {
  const int groups = draw.flag() ? 1 : draw.integer(1, 6), in = draw.integer(1, 9), out = draw.integer(1, 9);
  const std::vector<int64_t> kernel = draw.integers(2, 1, 4);
  node.input(draw.tensor({draw.integer(1, 2), groups * in, draw.integer(1, 20), draw.integer(1, 20)}));
  draw.input(
      node, transposed ? Shape{groups * in, out, kernel[0], kernel[1]} : Shape{groups * out, in, kernel[0], kernel[1]});
  if (draw.flag()) draw.input(node, {groups * out});
  node.integer("group", groups);
  window(draw, node);
}

OneNode convolution(Drawing& draw) {
  OneNode node("Conv");
  convolution_inputs(draw, node, false);
  return node;
}

OneNode transposed_convolution(Drawing& draw) {
  OneNode node("ConvTranspose");
  convolution_inputs(draw, node, true);
  return node;
}

OneNode depthwise(Drawing& draw) {
  OneNode node("Conv");
  const int channels = draw.integer(1, 40), kernel = draw.integer(1, 5);
  node.input(draw.tensor({1, channels, draw.integer(1, 24), draw.integer(1, 24)}));
  draw.input(node, {channels, 1, kernel, kernel});
  node.integer("group", channels);
  window(draw, node);
  return node;
}

OneNode largest(Drawing& draw) {
  OneNode node("MaxPool");
  node.input(draw.tensor({draw.integer(1, 2), draw.integer(1, 40), draw.integer(1, 20), draw.integer(1, 20)}));
  node.integers("kernel_shape", draw.integers(2, 1, 4));
  window(draw, node);
  return node;
}

OneNode reduction(Drawing& draw) {
  static const char* const kOps[] = {"ReduceSum",  "ReduceMax", "ReduceMin",
                                     "ReduceProd", "ReduceL1",  "ReduceSumSquare"};
  OneNode node(draw.of(kOps));
  const Shape shape = draw.shape(1, 4);
  node.input(draw.tensor(shape));
  if (draw.flag()) node.constant(Tensor::of<int64_t>({draw.integer(0, shape.rank() - 1)}));
  node.integer("keepdims", draw.flag());
  return node;
}

OneNode elementwise(Drawing& draw) {
  static const char* const kOps[] = {"Add", "Sub", "Mul", "Max", "Min", "Less", "Equal", "PRelu"};
  OneNode node(draw.of(kOps));
  const Shape shape = draw.shape(1, 4);
  Shape other;
  for (const int64_t dim : shape) other.push_back(draw.flag() ? dim : 1);
  draw.input(node, shape);
  node.input(draw.tensor(other));
  return node;
}

OneNode transposition(Drawing& draw) {
  OneNode node("Transpose");
  const Shape shape = draw.shape(1, 5);
  std::vector<int64_t> order;
  for (int i = 0; i < shape.rank(); ++i) order.insert(order.begin() + draw.integer(0, i), i);
  draw.flag() ? node.input(draw.tensor<uint8_t>(shape)) : node.input(draw.tensor(shape));
  node.integers("perm", order);
  return node;
}

OneNode cumulative(Drawing& draw) {
  OneNode node("CumSum");
  const Shape shape = draw.shape(1, 3);
  node.input(draw.tensor(shape));
  node.constant(Tensor::scalar<int64_t>(draw.integer(0, shape.rank() - 1)));
  node.integer("reverse", draw.flag());
  node.integer("exclusive", draw.flag());
  return node;
}

OneNode padding(Drawing& draw) {
  static const char* const kModes[] = {"constant", "reflect", "edge"};
  OneNode node("Pad");
  const Shape shape = draw.shape(1, 4);
  node.input(draw.tensor(shape));
  node.constant(Tensor::of(draw.integers(2 * shape.rank(), -2, 3)));
  node.text("mode", draw.of(kModes));
  return node;
}

OneNode transcendental(Drawing& draw) {
  static const char* const kOps[] = {"Exp", "Tanh", "Sigmoid", "Erf", "Softplus", "Elu", "Sin", "Sqrt", "Mish"};
  OneNode node(draw.of(kOps));
  node.input(draw.tensor(draw.shape(1, 3)));
  return node;
}

OneNode normalization(Drawing& draw) {
  static const char* const kOps[] = {"Softmax", "LogSoftmax", "ReduceMean", "ReduceLogSumExp", "GlobalAveragePool"};
  OneNode node(draw.of(kOps));
  node.input(draw.tensor(draw.shape(3, 4)));
  return node;
}

struct Family {
  OneNode (*draw)(Drawing&);
  double tolerance;  // of a value's magnitude and of 1
};

constexpr double kRounding = 1e-5;
constexpr Family kFamilies[] = {{product, 0},
                                {gemm, 0},
                                {integer_product<uint8_t, int8_t>, 0},
                                {integer_product<uint8_t, uint8_t>, 0},
                                {integer_product<int8_t, int8_t>, 0},
                                {convolution, 0},
                                {transposed_convolution, 0},
                                {depthwise, 0},
                                {largest, 0},
                                {reduction, 0},
                                {elementwise, 0},
                                {transposition, 0},
                                {cumulative, 0},
                                {padding, 0},
                                {transcendental, kRounding},
                                {normalization, kRounding}};

Tensor run(const OneNode& node, Isa isa, bool guarded, const std::shared_ptr<Executor>& executor) {
  ModelOptions options{
      .isa = isa, .winograd_tile = 0, .limits = {.memory_bytes = int64_t{256} << 20}, .executor = executor};
  options.guard_memory = guarded;
  Context context(node.load(options), {.executor = executor});
  return context.run(node.inputs())[0];
}

bool close(const Tensor& a, const Tensor& b, double tolerance) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() != DType::kFloat32) return identical(a, b);
  return std::equal(
      a.values<float>().begin(), a.values<float>().end(), b.values<float>().begin(), [&](float x, float y) {
        return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * (1 + std::abs(y));
      });
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

void take(std::span<const uint8_t> bytes) {
  static const std::shared_ptr<Executor> one = make_serial_executor(), three = make_thread_executor(3);
  Drawing draw(bytes);
  const Family& family = draw.of(kFamilies);
  const OneNode node = family.draw(draw);
  const Tensor best = run(node, Isa::kAuto, false, one);
  expect(close(best, run(node, Isa::kBaseline, false, one), family.tolerance), "instruction sets differ");
  expect(identical(best, run(node, Isa::kAuto, false, three)), "numbers of threads differ");
  expect(identical(best, run(node, Isa::kAuto, true, one)), "guarded memory differs");
}

}  // namespace linnet

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// MatMul(x, DequantizeLinear(codes)), with so many weights that constant folding does not apply.
struct Case {
  DType dtype = DType::kInt4;
  int64_t k = 1040, n = 260, block = 32;
  bool columns_first = false;  ///< Whether codes are [n, k], followed by a Transpose.
  bool zeros = false;
  std::optional<int64_t> axis{};
  std::vector<int64_t> perm{1, 0};
  float first_scale = 0.001f;
  bool constant_codes = true, constant_scales = true, constant_zeros = true;
};

Tensor bytes_of(DType dtype, const Shape& shape, int step) {
  Tensor tensor(dtype, shape);
  auto* bytes = static_cast<uint8_t*>(tensor.raw());
  for (size_t i = 0; i < tensor.bytes(); ++i) bytes[i] = uint8_t(size_t(step) * i % 253);
  return tensor;
}

/// The graph and its inputs.
struct Built {
  explicit Built(const Case& c) : b(25) {
    const int axis = c.columns_first ? 1 : 0;
    const Shape shape = c.columns_first ? Shape{c.n, c.k} : Shape{c.k, c.n};
    const int64_t scaled = c.axis ? (*c.axis < 0 ? *c.axis + 2 : *c.axis) : axis;
    Shape blocked = shape;
    if (c.block > 0) {
      blocked[int(scaled)] = (blocked[int(scaled)] + c.block - 1) / c.block;
    } else {
      blocked = Shape{shape[int(scaled)]};
    }
    const ValueId x = add("x", random_tensor({3, c.k}), false);
    Tensor scales = random_uniform(blocked, 0.0001f, 0.002f);
    scales.data<float>()[0] = c.first_scale;
    std::vector<ValueId> parts{add("codes", bytes_of(c.dtype, shape, 37), c.constant_codes),
                               add("scales", scales, c.constant_scales)};
    if (c.zeros) parts.push_back(add("zeros", bytes_of(c.dtype, blocked, 91), c.constant_zeros));
    ValueId w = b.op("DequantizeLinear", parts, {{"axis", c.axis.value_or(axis)}, {"block_size", c.block}});
    if (c.columns_first) w = b.op("Transpose", {w}, {{"perm", c.perm}});
    b.output(b.op("MatMul", {x, w}));
  }

  ValueId add(const std::string& name, const Tensor& value, bool constant) {
    if (constant) return b.constant(value);
    inputs.push_back(value);
    return b.input(name, Fact(value.dtype(), value.shape()));
  }

  GraphBuilder b;
  std::vector<Tensor> inputs;
};

void expect_converted(const Case& c) {
  const Built built(c);
  EXPECT_EQ(optimized_ops(built.b), "+MatMulNBits");
  expect_unchanged(built.b, built.inputs);
}

TEST(ConvertMatMulToNBits, TakesBlocksOfAColumn) {
  for (const DType dtype : {DType::kInt2, DType::kUint2, DType::kInt4, DType::kUint4, DType::kInt8, DType::kUint8}) {
    for (const bool columns_first : {false, true}) {
      for (const bool zeros : {false, true}) {
        expect_converted({.dtype = dtype, .columns_first = columns_first, .zeros = zeros});
      }
    }
  }
}

TEST(ConvertMatMulToNBits, TakesAnyBlockThatIsAPowerOfTwo) {
  for (const int64_t block : std::vector<int64_t>{16, 512, 2048, int64_t{1} << 50})
    expect_converted({.block = block, .zeros = true});
  expect_converted({.columns_first = true, .axis = -1});
}

TEST(ConvertMatMulToNBits, KeepsTheMiddleOutOfTheZeroPoints) {
  for (const auto& [dtype, inputs] : {std::pair{DType::kInt4, 3}, {DType::kUint4, 4}}) {
    const Built built({.dtype = dtype});
    const Model model = built.b.model();
    const Graph& graph = model_graph(model);
    EXPECT_EQ(graph.node(graph.nodes()[0]).inputs.size(), size_t(inputs));
  }
}

void expect_not_converted(const Case& c) {
  const Built built(c);
  EXPECT_EQ(optimized_ops(built.b).find("MatMulNBits"), std::string::npos);
  expect_unchanged(built.b, built.inputs);
}

TEST(ConvertMatMulToNBits, LeavesBlocksOfOtherSizes) {
  expect_not_converted({.block = 8});
  expect_not_converted({.block = 48});
  expect_not_converted({.block = 0});
}

TEST(ConvertMatMulToNBits, LeavesBlocksAlongRows) {
  expect_not_converted({.axis = 1});
  expect_not_converted({.columns_first = true, .axis = 0});
}

TEST(ConvertMatMulToNBits, LeavesWhatIsNotConstant) {
  expect_not_converted({.zeros = true, .constant_codes = false});
  expect_not_converted({.zeros = true, .constant_scales = false});
  expect_not_converted({.zeros = true, .constant_zeros = false});
}

TEST(ConvertMatMulToNBits, LeavesOtherTypes) { expect_not_converted({.dtype = DType::kFloat8E4M3FN}); }

// MatMulNBits refuses NaN.
TEST(ConvertMatMulToNBits, LeavesScalesThatAreNotFinite) {
  expect_not_converted({.first_scale = std::numeric_limits<float>::quiet_NaN()});
  expect_not_converted({.first_scale = std::numeric_limits<float>::infinity()});
}

TEST(ConvertMatMulToNBits, LeavesATransposeThatKeepsTheAxes) {
  expect_not_converted({.k = 520, .n = 520, .columns_first = true, .perm = {0, 1}});
}

TEST(ConvertMatMulToNBits, LeavesSeveralMatrices) {
  GraphBuilder b(21);
  const ValueId w = b.op("DequantizeLinear",
                         {b.constant(bytes_of(DType::kInt8, {2, 512, 300}, 37)),
                          b.constant(random_uniform({2, 16, 300}, 0.0001f, 0.002f))},
                         {{"axis", int64_t{1}}, {"block_size", int64_t{32}}});
  b.output(b.op("MatMul", {b.input("x", Shape{2, 3, 512}), w}));
  EXPECT_EQ(optimized_ops(b), "MatMul");
}

TEST(ConvertMatMulToNBits, LeavesTheOtherFactor) {
  GraphBuilder b(21);
  const ValueId w =
      b.op("DequantizeLinear",
           {b.constant(bytes_of(DType::kInt8, {512, 600}, 37)), b.constant(random_uniform({16, 600}, 0.0001f, 0.002f))},
           {{"axis", int64_t{0}}, {"block_size", int64_t{32}}});
  b.output(b.op("MatMul", {w, b.input("x", Shape{600, 3})}));
  EXPECT_EQ(optimized_ops(b), "MatMul");
}

}  // namespace
}  // namespace linnet::testing

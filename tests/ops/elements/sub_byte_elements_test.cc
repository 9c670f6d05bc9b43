#include <gtest/gtest.h>

#include <cstring>

#include "support/graph_builder.h"
#include "support/run_op.h"

// Tests operators that move elements with dtypes below one byte.
namespace linnet::testing {
namespace {

using Codes = std::vector<uint8_t>;
using Ints = std::vector<int64_t>;

std::vector<DType> sub_byte_types() {
  std::vector<DType> types;
  for (int i = int(DType::kFloat32); i <= int(kLastElementType); ++i) {
    if (dtype_bits(DType(i)) < 8) types.push_back(DType(i));
  }
  return types;
}

const std::vector<DType> kSubByte = sub_byte_types();

/// Returns a tensor of these codes, the first in the lowest bits of each byte.
Tensor coded(DType dtype, const Shape& shape, const Codes& codes) {
  Tensor result(dtype, shape);
  std::memset(result.raw(), 0, result.bytes());
  const size_t bits = size_t(dtype_bits(dtype));
  auto* bytes = static_cast<uint8_t*>(result.raw());
  for (size_t i = 0; i < codes.size() * bits; ++i) bytes[i / 8] |= uint8_t((codes[i / bits] >> i % bits & 1) << i % 8);
  return result;
}

void expect_same_bytes(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  EXPECT_EQ(std::memcmp(got.raw(), want.raw(), want.bytes()), 0) << got.dtype();
}

TEST(SubByteElements, PadFillsAndRepeats) {
  for (const DType dtype : kSubByte) {
    const Tensor x = coded(dtype, {3}, {1, 2, 3}), two = coded(dtype, {}, {2});
    const OpCase constant{"Pad", 25}, wrap{"Pad", 25, {{"mode", std::string("wrap")}}};
    expect_same_bytes(run_op(constant, {x, Tensor::of<int64_t>({1, 1}), two})[0], coded(dtype, {5}, {2, 1, 2, 3, 2}));
    expect_same_bytes(run_op(wrap, {x, Tensor::of<int64_t>({1, 2})})[0], coded(dtype, {6}, {3, 1, 2, 3, 1, 2}));
    expect_same_bytes(run_op(constant, {x, Tensor::of<int64_t>({-1, 1}), two}, 1, {0})[0],
                      coded(dtype, {3}, {2, 3, 2}));
  }
}

TEST(SubByteElements, ConstantOfShapeFillsTheLastByteWithZeros) {
  for (const DType dtype : kSubByte) {
    const OpCase op{"ConstantOfShape", 25, {{"value", coded(dtype, {1}, {3})}}};
    expect_same_bytes(run_op(op, {Tensor::of<int64_t>({5})})[0], coded(dtype, {5}, {3, 3, 3, 3, 3}));
    expect_same_bytes(run_op(op, {Tensor::of<int64_t>({0})})[0], coded(dtype, {0}, {}));
  }
}

TEST(SubByteElements, TensorScatterWritesIntoTheCache) {
  for (const DType dtype : kSubByte) {
    const Tensor cache = coded(dtype, {1, 3, 1}, {1, 2, 3}), update = coded(dtype, {1, 1, 1}, {0});
    expect_same_bytes(run_op({"TensorScatter", 24}, {cache, update, Tensor::of<int64_t>({1})})[0],
                      coded(dtype, {1, 3, 1}, {1, 0, 3}));
  }
}

TEST(SubByteElements, OutputsThatTheOperatorDoesNotHaveAreRefused) {
  expect_error(ErrorKind::kModel, "the node names 2 outputs, the operator has 1", [] {
    run_op({"Transpose", 25}, {coded(DType::kInt4, {2, 3}, {1, 2, 3, 0, 1, 2})}, 2);
  });
}

TEST(SubByteElements, TransposeMovesThem) {
  for (const DType dtype : kSubByte) {
    expect_same_bytes(run_op({"Transpose", 25}, {coded(dtype, {2, 3}, {1, 2, 3, 0, 1, 2})})[0],
                      coded(dtype, {3, 2}, {1, 0, 2, 1, 3, 2}));
  }
}

TEST(SubByteElements, LoopStacksThem) {
  for (const DType dtype : kSubByte) {
    const Fact element(dtype, Shape{3});
    GraphBuilder body(25);
    body.input("i", Fact(DType::kInt64, Shape{}));
    const ValueId condition = body.input("condition", Fact(DType::kBool, Shape{}));
    const ValueId a = body.input("a", element), b = body.input("b", element);
    for (const ValueId output : {condition, b, a}) body.output(output);
    body.output(body.op("Identity", {a}));
    GraphBuilder graph(25);
    const ValueId trips = graph.input("trips", Fact(DType::kInt64, Shape{}));
    const ValueId x = graph.input("x", element), y = graph.input("y", element);
    for (const ValueId output : graph.ops("Loop", {trips, kNoValue, x, y}, 3, {{"body", body.shared()}}))
      graph.output(output);
    const Tensor first = coded(dtype, {3}, {1, 2, 3}), second = coded(dtype, {3}, {3, 0, 1});
    const auto got = run_model(graph.model(), {Tensor::scalar<int64_t>(3), first, second});
    expect_same_bytes(got[0], second);
    expect_same_bytes(got[2], coded(dtype, {3, 3}, {1, 2, 3, 3, 0, 1, 1, 2, 3}));
  }
}

TEST(SubByteElements, ScanTakesAndStacksThemAlongAnyAxis) {
  for (const DType dtype : kSubByte) {
    GraphBuilder body(25);
    body.output(body.op("Identity", {body.input("column", Fact(dtype, Shape{3}))}));
    GraphBuilder graph(25);
    graph.output(graph.op("Scan", {graph.input("x", Fact(dtype, Shape{3, 2}))},
                          {{"body", body.shared()},
                           {"num_scan_inputs", int64_t{1}},
                           {"scan_input_axes", Ints{1}},
                           {"scan_output_axes", Ints{1}},
                           {"scan_output_directions", Ints{1}}}));
    const auto got = run_model(graph.model(), {coded(dtype, {3, 2}, {1, 2, 3, 0, 2, 1})});
    expect_same_bytes(got[0], coded(dtype, {3, 2}, {2, 1, 0, 3, 1, 2}));
  }
}

}  // namespace
}  // namespace linnet::testing

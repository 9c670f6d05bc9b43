#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor bools(const std::vector<bool>& values) { return Tensor::of<bool>(values); }

const DType kNumbers[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                          DType::kInt8,    DType::kInt16,   DType::kInt32,   DType::kInt64};

TEST(Comparison, OfNumbers) {
  const Tensor a = Tensor::of<float>({-2, 1, 3}), b = Tensor::of<float>({1});
  for (const DType dtype : kNumbers) {
    const std::vector<Tensor> in{cast_to(a, dtype), cast_to(b, dtype)};
    expect_close(run_op({"Less"}, in)[0], bools({true, false, false}));
    expect_close(run_op({"LessOrEqual"}, in)[0], bools({true, true, false}));
    expect_close(run_op({"Greater"}, in)[0], bools({false, false, true}));
    expect_close(run_op({"GreaterOrEqual"}, in)[0], bools({false, true, true}));
    expect_close(run_op({"Equal"}, in)[0], bools({false, true, false}));
  }
  expect_close(run_op({"Greater"}, {Tensor::of<uint64_t>({~0ull}), Tensor::of<uint64_t>({1})})[0], bools({true}));
}

TEST(Comparison, IsFalseForNan) {
  const std::vector<Tensor> in{Tensor::of<float>({NAN, 1, NAN}), Tensor::of<float>({1, NAN, NAN})};
  for (const char* op : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"}) {
    expect_close(run_op({op}, in)[0], bools({false, false, false}));
  }
}

/// Compares rows of several blocks with scalars on either side.
TEST(Comparison, RepeatsScalarsOverLongRows) {
  const int64_t n = 1000;
  const Tensor row = cast_to(cast_to(random_uniform({2, n}, -4, 4, 1), DType::kInt8), DType::kFloat32);
  const Tensor scalar = Tensor::of<float>({2, 1}, {1, -2});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt64}) {
    const Tensor a = cast_to(row, dtype), b = cast_to(scalar, dtype);
    const Tensor x = cast_to(a, DType::kFloat32);
    std::vector<bool> less, greater;
    Tensor chosen(DType::kFloat32, {2, n}), sum(DType::kFloat32, {2, n});
    for (int64_t i = 0; i < 2 * n; ++i) {
      const float u = x.data<float>()[i], v = i < n ? 1 : -2;
      less.push_back(u < v);
      greater.push_back(v < u);
      chosen.data<float>()[i] = u < v ? u : v;
      sum.data<float>()[i] = v - u;
    }
    const Tensor is_less = Tensor::of<bool>({2, n}, less);
    expect_close(run_op({"Less"}, {a, b})[0], is_less);
    expect_close(run_op({"Less"}, {b, a})[0], Tensor::of<bool>({2, n}, greater));
    expect_close(run_op({"Where"}, {is_less, a, b})[0], cast_to(chosen, dtype));
    expect_close(run_op({"Min"}, {b, a})[0], cast_to(chosen, dtype));
    expect_close(run_op({"Sub"}, {b, a})[0], cast_to(sum, dtype));
  }
}

TEST(Comparison, BroadcastsByAttributesBeforeOpset7) {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), b = Tensor::of<float>({2, 3});
  const OpCase op{"Greater", 1, {{"broadcast", int64_t{1}}, {"axis", int64_t{0}}}};
  expect_close(run_op(op, {a, b})[0], Tensor::of<bool>({2, 2}, {false, false, false, true}));
}

TEST(Equal, OfStringsAndBools) {
  const Tensor words = Tensor::of<std::string>({2, 2}, {"a", "b", "", "a"});
  expect_close(run_op({"Equal", 19}, {words, Tensor::of<std::string>({"a", "b"})})[0],
               Tensor::of<bool>({2, 2}, {true, true, false, false}));
  expect_close(run_op({"Equal", 19}, {Tensor::of<std::string>({"a"}), words})[0],
               Tensor::of<bool>({2, 2}, {true, false, false, true}));
  expect_close(run_op({"Equal"}, {bools({true, false, true}), bools({true})})[0], bools({true, false, true}));
  expect_close(run_op({"Equal"}, {Tensor::of<float>({0}), Tensor::of<float>({-0.0f})})[0], bools({true}));
}

TEST(Boolean, TruthTables) {
  const Tensor a = bools({false, false, true, true}), b = bools({false, true, false, true});
  expect_close(run_op({"And"}, {a, b})[0], bools({false, false, false, true}));
  expect_close(run_op({"Or"}, {a, b})[0], bools({false, true, true, true}));
  expect_close(run_op({"Xor"}, {a, b})[0], bools({false, true, true, false}));
  expect_close(run_op({"Not"}, {a})[0], bools({true, true, false, false}));
  expect_error(ErrorKind::kType, "bool", [] { run_op({"Not"}, {Tensor::of<float>({1})}); });
}

TEST(Bitwise, OfIntegers) {
  const Tensor a = Tensor::of<int16_t>({12, -1, 0}), b = Tensor::of<int16_t>({10});
  expect_close(run_op({"BitwiseAnd", 18}, {a, b})[0], Tensor::of<int16_t>({8, 10, 0}));
  expect_close(run_op({"BitwiseOr", 18}, {a, b})[0], Tensor::of<int16_t>({14, -1, 10}));
  expect_close(run_op({"BitwiseXor", 18}, {a, b})[0], Tensor::of<int16_t>({6, -11, 10}));
  expect_close(run_op({"BitwiseNot", 18}, {a})[0], Tensor::of<int16_t>({-13, 0, -1}));
  expect_error(ErrorKind::kType, "integers", [] { run_op({"BitwiseNot", 18}, {Tensor::of<float>({1})}); });
}

TEST(BitShift, MovesOutAllBitsBeyondTheWidth) {
  const OpCase left{"BitShift", 28, {{"direction", std::string("LEFT")}}};
  const OpCase right{"BitShift", 28, {{"direction", std::string("RIGHT")}}};
  const Tensor by = Tensor::of<uint8_t>({1, 7, 8, 255});
  const Tensor bytes = Tensor::of<uint8_t>({0x81, 0x81, 0xff, 0xff});
  expect_close(run_op(left, {bytes, by})[0], Tensor::of<uint8_t>({2, 0x80, 0, 0}));
  expect_close(run_op(right, {bytes, by})[0], Tensor::of<uint8_t>({0x40, 1, 0, 0}));
  expect_close(run_op(left, {Tensor::of<uint8_t>({0x81}), by})[0], Tensor::of<uint8_t>({2, 0x80, 0, 0}));
  expect_close(run_op(right, {Tensor::of<uint8_t>({0x81}), by})[0], Tensor::of<uint8_t>({0x40, 1, 0, 0}));
  const Tensor signed_by = Tensor::of<int32_t>({1, 32, -1});
  expect_close(run_op(right, {Tensor::of<int32_t>({-8}), signed_by})[0], Tensor::of<int32_t>({-4, -1, -1}));
  expect_close(run_op(left, {Tensor::of<int32_t>({-8}), signed_by})[0], Tensor::of<int32_t>({-16, 0, 0}));
  const Tensor negative = Tensor::of<int32_t>({-8, -8, -8});
  expect_close(run_op(right, {negative, signed_by})[0], Tensor::of<int32_t>({-4, -1, -1}));
  expect_close(run_op(left, {negative, signed_by})[0], Tensor::of<int32_t>({-16, 0, 0}));
  expect_error(ErrorKind::kModel, "direction", [&] {
    run_op({"BitShift", 11, {{"direction", std::string("UP")}}}, {by, by});
  });
}

}  // namespace
}  // namespace linnet::testing

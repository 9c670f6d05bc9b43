#include <gtest/gtest.h>

#include "elements/bit_stream.h"
#include "support/run_op.h"

namespace linnet::testing::gather_block_quantized {
namespace {

OpCase gather(int64_t bits, int64_t block, int64_t gather_axis, int64_t quantize_axis) {
  return {"GatherBlockQuantized",
          1,
          {{"bits", bits}, {"block_size", block}, {"gather_axis", gather_axis}, {"quantize_axis", quantize_axis}},
          "com.microsoft"};
}

/// Returns bytes without a regular order.
Tensor scrambled(DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  auto* bytes = static_cast<uint8_t*>(tensor.raw());
  for (size_t i = 0; i < tensor.bytes(); ++i) bytes[i] = uint8_t(i * 151 % 256 ^ i / 7);
  return tensor;
}

/// Tests a table of 2-D uint8 codes. Each row of zero points is padded to whole bytes.
void expect_rows(int64_t bits, int64_t block, bool with_zeros) {
  const int64_t rows = 9, bytes = 40, length = bytes * 8 / bits, blocks = (length + block - 1) / block;
  const Tensor data = scrambled(DType::kUint8, {rows, bytes});
  const Tensor scales = random_tensor({rows, blocks});
  const Tensor zeros = with_zeros ? scrambled(DType::kUint8, {rows, (blocks * bits + 7) / 8}) : Tensor();
  const Tensor indices = Tensor::of(Shape{2, 3}, std::vector<int64_t>{4, 0, -1, 9, -10, 8});
  const Tensor y = run_op(gather(bits, block, 0, 1), {data, indices, scales, zeros})[0];
  ASSERT_EQ(y.shape(), Shape({2, 3, length}));
  for (int64_t i = 0; i < y.size(); ++i) {
    int64_t row = indices.data<int64_t>()[i / length];
    row = row < 0 ? row + rows : row;
    const bool inside = row >= 0 && row < rows;
    const int64_t at = i % length, column = at / block;
    const int mask = (1 << bits) - 1;
    float want = 0;
    if (inside) {
      const int code = data.data<uint8_t>()[row * bytes + at * bits / 8] >> (at * bits % 8) & mask;
      const int zero = with_zeros
                           ? zeros.data<uint8_t>()[row * zeros.dim(1) + column * bits / 8] >> (column * bits % 8) & mask
                           : 1 << (bits - 1);
      want = float(code - zero) * scales.data<float>()[row * blocks + column];
    }
    ASSERT_EQ(y.data<float>()[i], want) << i;
  }
}

TEST(GatherBlockQuantized, WidensRowsOfPackedBytes) {
  for (const int64_t bits : {2, 4, 8}) {
    for (const int64_t block : {16, 32, 128}) {
      expect_rows(bits, block, false);
      expect_rows(bits, block, true);
    }
  }
}

int element_of(const Tensor& tensor, int64_t i) {
  const int code = int(code_at(tensor.raw(), i, 4));
  return tensor.dtype() == DType::kInt4 && code > 7 ? code - 16 : code;
}

/// Checks y[a, i, c] = element [a, i, c] of a table of 4-bit numbers, or with its first or last two dims swapped.
void expect_axes(DType dtype, int gather_axis, int quantize_axis, bool with_zeros) {
  const Shape shape{3, 35, 5};
  Shape blocked = shape;
  blocked[quantize_axis] = (shape[quantize_axis] + 15) / 16;
  const Tensor data = scrambled(dtype, shape), scales = random_tensor(blocked);
  const Tensor zeros = with_zeros ? scrambled(dtype, blocked) : Tensor();
  const Tensor y =
      run_op(gather(4, 16, gather_axis, quantize_axis), {data, Tensor::of<int32_t>({2, -1}), scales, zeros})[0];
  Shape dims = shape;
  dims[gather_axis] = 2;
  ASSERT_EQ(y.shape(), dims);
  for (int64_t i = 0; i < y.size(); ++i) {
    int64_t at[3] = {i / dims[2] / dims[1], i / dims[2] % dims[1], i % dims[2]};
    at[gather_axis] = at[gather_axis] == 0 ? 2 : shape[gather_axis] - 1;
    const int64_t source = (at[0] * shape[1] + at[1]) * shape[2] + at[2];
    at[quantize_axis] /= 16;
    const int64_t scale = (at[0] * blocked[1] + at[1]) * blocked[2] + at[2];
    const int zero = with_zeros ? element_of(zeros, scale) : 0;
    ASSERT_EQ(y.data<float>()[i], float(element_of(data, source) - zero) * scales.data<float>()[scale]) << i;
  }
}

TEST(GatherBlockQuantized, TakesAnyAxesOfFourBitNumbers) {
  for (const DType dtype : {DType::kInt4, DType::kUint4}) {
    for (const auto& [axis, quantized] : {std::pair{0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}) {
      expect_axes(dtype, axis, quantized, false);
      expect_axes(dtype, axis, quantized, true);
    }
  }
}

TEST(GatherBlockQuantized, GivesTheDtypeOfItsScales) {
  const Tensor data = scrambled(DType::kUint8, {4, 16}), scales = random_uniform({4, 1}, 0.5f, 1);
  const Tensor indices = Tensor::of<int64_t>({3, 1});
  const Tensor half_scales = cast_to(scales, DType::kFloat16);
  const Tensor half = run_op(gather(4, 32, 0, 1), {data, indices, half_scales})[0];
  EXPECT_EQ(half.dtype(), DType::kFloat16);
  const Tensor y = run_op(gather(4, 32, 0, 1), {data, indices, cast_to(half_scales, DType::kFloat32)})[0];
  expect_close(half, cast_to(y, DType::kFloat16));
}

TEST(GatherBlockQuantized, RefusesWhatDoesNotFit) {
  const Tensor data = scrambled(DType::kUint8, {4, 16}), scales = random_tensor({4, 1});
  const Tensor indices = Tensor::of<int64_t>({0});
  const auto refuse = [&](ErrorKind kind, const std::string& text, const OpCase& op, const std::vector<Tensor>& in) {
    expect_error(kind, text, [&] { run_op(op, in); });
  };
  refuse(ErrorKind::kModel, "block_size must be a power of two", gather(4, 24, 0, 1), {data, indices, scales});
  refuse(ErrorKind::kModel, "bits must be 2, 4 or 8", gather(3, 32, 0, 1), {data, indices, scales});
  refuse(ErrorKind::kModel, "gather_axis must be 0", gather(4, 32, 1, 1), {data, indices, scales});
  refuse(ErrorKind::kModel, "quantize_axis the last", gather(4, 32, 0, 0), {data, indices, scales});
  refuse(ErrorKind::kShape, "scales must have the shape [4,1]", gather(4, 32, 0, 1),
         {data, indices, random_tensor({4, 2})});
  refuse(ErrorKind::kShape, "zero_points must have the shape [4,1]", gather(4, 32, 0, 1),
         {data, indices, scales, scrambled(DType::kUint8, {4, 2})});
  refuse(ErrorKind::kModel, "bits must be 4 for int4", gather(8, 32, 0, 1),
         {scrambled(DType::kInt4, {4, 32}), indices, scales});
}

}  // namespace
}  // namespace linnet::testing::gather_block_quantized

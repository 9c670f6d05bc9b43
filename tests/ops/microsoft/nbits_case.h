#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {

/// A matrix B[k, n] in codes of few bits, as a node stores it and as plain numbers.
struct NBitsCase {
  enum class Zeros { kNone, kBytes, kFloats };

  int64_t m = 1, k = 32, n = 1, bits = 4, block = 32;
  Zeros zeros = Zeros::kNone;
  bool ordered = false;      ///< Whether there is a g_idx.
  bool half_scales = false;  ///< Whether float16 can represent the scales.
  unsigned seed = 0;

  int64_t blocks() const { return (k + block - 1) / block; }
};

/// The inputs of a case, and codes, zero points and scales of all (k, n).
struct NBitsData {
  explicit NBitsData(const NBitsCase& from)
      : c(from),
        a(random_tensor({from.m, from.k}, from.seed)),
        b(DType::kUint8, {from.n, from.blocks(), from.block * from.bits / 8}) {
    std::mt19937 random(from.seed);
    const auto draw = [&](int64_t limit) { return int64_t(random() % uint64_t(limit)); };
    for (int64_t i = 0; i < b.size(); ++i) b.data<uint8_t>()[i] = uint8_t(draw(256));
    scales = random_uniform({from.n * from.blocks()}, 0.01f, 1.0f, from.seed + 1);
    if (from.half_scales) scales = cast_to(cast_to(scales, DType::kFloat16), DType::kFloat32);
    const int64_t packed = (from.blocks() * from.bits + 7) / 8;
    if (from.zeros == NBitsCase::Zeros::kFloats) {
      zeros = random_uniform({from.n, from.blocks()}, 0, float(1 << from.bits), from.seed + 2);
    } else if (from.zeros == NBitsCase::Zeros::kBytes) {
      zeros = Tensor(DType::kUint8, {from.n, packed});
      for (int64_t i = 0; i < zeros.size(); ++i) zeros.data<uint8_t>()[i] = uint8_t(draw(256));
    }
    if (from.ordered) {
      order = Tensor(DType::kInt32, {from.k});
      for (int64_t i = 0; i < from.k; ++i) order.data<int32_t>()[i] = int32_t(draw(from.blocks()));
    }
    bias = random_tensor({from.n}, from.seed + 3);
  }

  static int64_t code(const Tensor& tensor, int64_t byte, int64_t index, int64_t bits) {
    return tensor.data<uint8_t>()[byte + index * bits / 8] >> (index * bits % 8) & ((1 << bits) - 1);
  }
  int64_t group(int64_t row) const { return order ? order.data<int32_t>()[row] : row / c.block; }
  double zero(int64_t group, int64_t j) const {
    if (!zeros) return double(1 << (c.bits - 1));
    if (zeros.dtype() == DType::kFloat32) return zeros.data<float>()[j * c.blocks() + group];
    return double(code(zeros, j * zeros.dim(1), group, c.bits));
  }
  /// Returns (code - zero point) of row i, column j, without and with its scale.
  double offset_code(int64_t i, int64_t j) const {
    return double(code(b, j * b.dim(1) * b.dim(2), i, c.bits)) - zero(group(i), j);
  }
  double scale(int64_t i, int64_t j) const { return scales.data<float>()[j * c.blocks() + group(i)]; }

  OpCase op(int level) const {
    return {"MatMulNBits",
            1,
            {{"K", c.k}, {"N", c.n}, {"bits", c.bits}, {"block_size", c.block}, {"accuracy_level", int64_t{level}}},
            "com.microsoft"};
  }
  std::vector<Tensor> inputs() const { return {a, b, scales, zeros, order, bias}; }

  NBitsCase c;
  Tensor a, b, scales, zeros, order, bias;
};

}  // namespace linnet::testing

#include <gtest/gtest.h>

#include <cmath>

#include "linnet/complex.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kSamples = 2, kRotatedHeads = 3, kTokens = 5, kSize = 10, kPositions = 9;

/// Rotates the numbers x1 + i x2 by the numbers cos + i sin; x and y are [batch, heads, length, size].
Tensor rotated_pairs(const Tensor& x, const Tensor& cos, const Tensor& sin, const std::vector<int64_t>& ids,
                     int64_t rotated, bool interleaved) {
  Tensor y = x.clone();
  for (int64_t row = 0; row < kSamples * kRotatedHeads * kTokens; ++row) {
    const int64_t token = row / kTokens / kRotatedHeads * kTokens + row % kTokens;
    const int64_t cache = ids.empty() ? token : ids[size_t(token)];
    for (int64_t i = 0; i < rotated / 2; ++i) {
      const int64_t first = row * kSize + (interleaved ? 2 * i : i), second = first + (interleaved ? 1 : rotated / 2);
      const auto angle = [&](const Tensor& t) { return double(t.data<float>()[cache * (rotated / 2) + i]); };
      const std::complex<double> z =
          std::complex<double>(double(x.data<float>()[first]), double(x.data<float>()[second])) *
          std::complex<double>(angle(cos), angle(sin));
      y.data<float>()[first] = float(z.real());
      y.data<float>()[second] = float(z.imag());
    }
  }
  return y;
}

TEST(RotaryEmbedding, RotatesPairs) {
  const Tensor x = random_tensor({kSamples, kRotatedHeads, kTokens, kSize});
  const std::vector<int64_t> ids{0, 8, 3, 3, 1, 2, 4, 5, 6, 7};
  for (const bool interleaved : {false, true}) {
    for (const int64_t rotated : {0, 6}) {
      const int64_t n = rotated ? rotated : kSize;
      const Attributes attributes{{"interleaved", int64_t{interleaved}}, {"rotary_embedding_dim", rotated}};
      const Tensor cos = random_tensor({kPositions, n / 2}, 1), sin = random_tensor({kPositions, n / 2}, 2);
      expect_close(run_op({"RotaryEmbedding", 23, attributes}, {x, cos, sin, Tensor::of({kSamples, kTokens}, ids)})[0],
                   rotated_pairs(x, cos, sin, ids, n, interleaved), 1e-5);
      const Tensor c = random_tensor({kSamples, kTokens, n / 2}, 1), s = random_tensor({kSamples, kTokens, n / 2}, 2);
      expect_close(run_op({"RotaryEmbedding", 23, attributes}, {x, c, s})[0],
                   rotated_pairs(x, c, s, {}, n, interleaved), 1e-5);
    }
  }
}

TEST(RotaryEmbedding, TakesHeadsThatLieSideBySide) {
  const Tensor x = random_tensor({kSamples, kRotatedHeads, kTokens, kSize});
  const Tensor cos = random_tensor({kSamples, kTokens, kSize / 2}, 1),
               sin = random_tensor({kSamples, kTokens, kSize / 2}, 2);
  const std::vector<int64_t> perm{0, 2, 1, 3};
  const auto joined = [&](const Tensor& t) {
    return run_op({"Transpose", 13, {{"perm", perm}}}, {t})[0].reshaped({kSamples, kTokens, kRotatedHeads * kSize});
  };
  expect_close(run_op({"RotaryEmbedding", 23, {{"num_heads", kRotatedHeads}}}, {joined(x), cos, sin})[0],
               joined(rotated_pairs(x, cos, sin, {}, kSize, false)), 1e-5);
}

/// Returns the caches of pairs as those of values.
Tensor of_values(const Tensor& pairs, bool interleaved) {
  const int64_t rows = pairs.size() / (kSize / 2);
  Tensor values(DType::kFloat32, {pairs.dim(0), kTokens, kSize});
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < kSize; ++i) {
      values.data<float>()[row * kSize + i] =
          pairs.data<float>()[row * (kSize / 2) + (interleaved ? i / 2 : i % (kSize / 2))];
    }
  }
  return values;
}

TEST(RotaryEmbedding, TakesAnAngleForEachValue) {
  const Tensor x = random_tensor({kSamples, kRotatedHeads, kTokens, kSize});
  for (const bool interleaved : {false, true}) {
    for (const int64_t samples : {int64_t{1}, kSamples}) {
      const Tensor cos = random_tensor({samples, kTokens, kSize / 2}, 1),
                   sin = random_tensor({samples, kTokens, kSize / 2}, 2);
      std::vector<int64_t> rows;
      for (int64_t i = 0; i < kSamples * kTokens; ++i) rows.push_back(i % (samples * kTokens));
      const OpCase spec{"RotaryEmbedding", 1, {{"interleaved", int64_t{interleaved}}}, "linnet"};
      expect_close(run_op(spec, {x, of_values(cos, interleaved), of_values(sin, interleaved)})[0],
                   rotated_pairs(x, cos, sin, rows, kSize, interleaved), 1e-5);
    }
  }
}

TEST(RotaryEmbedding, HeadsSideBySideOfFourAxes) {
  const Tensor x = random_tensor({kSamples, kRotatedHeads, kTokens, kSize});
  const Tensor cos = random_tensor({1, kTokens, kSize}, 1), sin = random_tensor({1, kTokens, kSize}, 2);
  const auto swapped = [](const Tensor& t) {
    return run_op({"Transpose", 13, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}}, {t})[0];
  };
  const Tensor y =
      run_op({"RotaryEmbedding", 1, {{"heads_side_by_side", int64_t{1}}}, "linnet"}, {swapped(x), cos, sin})[0];
  expect_close(swapped(y), run_op({"RotaryEmbedding", 1, {}, "linnet"}, {x, cos, sin})[0]);
}

TEST(RotaryEmbedding, AnglesOfOnePairMayDiffer) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {3, 5});
  const Tensor cos = Tensor::of<float>({1, 1, 2}, {2, 7}), sin = Tensor::of<float>({1, 1, 2}, {11, 13});
  for (const int64_t interleaved : {0, 1}) {
    const OpCase spec{"RotaryEmbedding", 1, {{"interleaved", interleaved}}, "linnet"};
    expect_close(run_op(spec, {x, cos, sin})[0], Tensor::of<float>({1, 1, 1, 2}, {3 * 2 - 5 * 11, 5 * 7 + 3 * 13}));
  }
}

TEST(RotaryEmbedding, RoundsHalfPrecisionOnce) {
  const Tensor x = random_tensor({kSamples, kRotatedHeads, kTokens, kSize});
  const Tensor cos = random_tensor({kSamples, kTokens, kSize / 2}, 1),
               sin = random_tensor({kSamples, kTokens, kSize / 2}, 2);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const auto rounded = [&](const Tensor& t) { return cast_to(cast_to(t, dtype), DType::kFloat32); };
    const Tensor want = rotated_pairs(rounded(x), rounded(cos), rounded(sin), {}, kSize, false);
    expect_close(run_op({"RotaryEmbedding", 23}, {cast_to(x, dtype), cast_to(cos, dtype), cast_to(sin, dtype)})[0],
                 cast_to(want, dtype), 1e-6, dtype == DType::kFloat16 ? 0x1p-10 : 0x1p-7);
  }
}

TEST(RotaryEmbedding, NamesWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 2, 3, 8}), cache = random_tensor({1, 3, 4}), table = random_tensor({5, 4});
  const auto run = [&](const std::vector<Tensor>& inputs, Attributes attributes = {}) {
    run_op({"RotaryEmbedding", 23, attributes}, inputs);
  };
  expect_error(ErrorKind::kShape, "half of what is rotated", [&] { run({x, random_tensor({1, 3, 3}), cache}); });
  expect_error(ErrorKind::kShape, "rank 3", [&] { run({x, table, table}); });
  expect_error(ErrorKind::kShape, "must be in [0,5), got 5", [&] {
    run({x, table, table, Tensor::of<int64_t>({1, 3}, {0, 5, 1})});
  });
  expect_error(ErrorKind::kModel, "num_heads must be given", [&] { run({random_tensor({1, 3, 8}), cache, cache}); });
  expect_error(ErrorKind::kShape, "must be even", [&] {
    run({x, cache, cache}, {{"rotary_embedding_dim", int64_t{5}}});
  });
}

}  // namespace
}  // namespace linnet::testing

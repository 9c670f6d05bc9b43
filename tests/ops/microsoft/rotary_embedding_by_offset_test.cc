#include <gtest/gtest.h>

#include "ops/microsoft/attention_state.h"
#include "support/run_expanded.h"

namespace linnet::testing::rotary_embedding_by_offset {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kLength = 4, kSize = 6, kPositions = 9;
const Tensor kOffset = Tensor::of<int64_t>({5});

/// Returns x [batch, heads, length, size] with each row rotated by the angles of its position.
Tensor rotated(const Tensor& x, const Tensor& cos, const Tensor& sin, const std::vector<int64_t>& positions,
               bool interleaved) {
  Tensor y = x.clone();
  const int64_t half = cos.dim(1);
  for (int64_t at = 0; at < kBatch * kHeads * kLength * half; ++at) {
    const int64_t row = at / half, i = at % half, b = row / kHeads / kLength;
    const int64_t angle = positions[size_t(b * kLength + row % kLength)] * half + i;
    const int64_t first = row * kSize + (interleaved ? 2 * i : i), second = first + (interleaved ? 1 : half);
    const double c = double(cos.data<float>()[angle]), s = double(sin.data<float>()[angle]);
    const double x1 = double(x.data<float>()[first]), x2 = double(x.data<float>()[second]);
    y.data<float>()[first] = float(c * x1 - s * x2);
    y.data<float>()[second] = float(s * x1 + c * x2);
  }
  return y;
}

std::vector<int64_t> from(int64_t offset) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < kBatch * kLength; ++i) positions.push_back(offset + i % kLength);
  return positions;
}

TEST(RotaryEmbeddingByOffset, RotatesWholeHeads) {
  const Tensor x = random_tensor({kBatch, kHeads, kLength, kSize});
  const Tensor cos = random_tensor({kPositions, 3}, 1), sin = random_tensor({kPositions, 3}, 2);
  const std::vector<int64_t> positions{8, 0, 3, 3, 1, 2, 7, 5};
  for (const bool interleaved : {false, true}) {
    const Attributes attributes{{"interleaved", int64_t{interleaved}}};
    expect_close(run_expanded("RotaryEmbedding", attributes, {x, kOffset, cos, sin})[0],
                 rotated(x, cos, sin, from(5), interleaved), 1e-5);
    expect_close(run_expanded("RotaryEmbedding", attributes, {with_joined_heads(x), kOffset, cos, sin})[0],
                 with_joined_heads(rotated(x, cos, sin, from(5), interleaved)), 1e-5);
    const Tensor ids = Tensor::of({kBatch, kLength}, positions);
    expect_close(run_expanded("RotaryEmbedding", attributes, {x, ids, cos, sin})[0],
                 rotated(x, cos, sin, positions, interleaved), 1e-5);
  }
}

TEST(RotaryEmbeddingByOffset, RotatesTheFirstValuesOfHeads) {
  const Tensor x = random_tensor({kBatch, kHeads, kLength, kSize});
  const Tensor cos = random_tensor({kPositions, 2}, 1), sin = random_tensor({kPositions, 2}, 2);
  const Attributes attributes{{"num_heads", kHeads}, {"rotary_embedding_dim", int64_t{4}}};
  const Tensor want = rotated(x, cos, sin, from(5), false);
  expect_close(run_expanded("RotaryEmbedding", attributes, {x, kOffset, cos, sin})[0], want, 1e-5);
  expect_close(run_expanded("RotaryEmbedding", attributes, {with_joined_heads(x), kOffset, cos, sin})[0],
               with_joined_heads(want), 1e-5);
}

TEST(RotaryEmbeddingByOffset, RefusesWhatDoesNotFit) {
  const Tensor x = random_tensor({kBatch, kLength, kHeads * kSize});
  const auto run = [&](const Attributes& attributes, const Tensor& positions, const Shape& caches) {
    run_op({"RotaryEmbedding", 1, attributes, "com.microsoft"},
           {x, positions, random_tensor(caches), random_tensor(caches)});
  };
  const Shape fitting{kPositions, kSize / 2};
  expect_error(ErrorKind::kModel, "num_heads", [&] { run({{"rotary_embedding_dim", int64_t{4}}}, kOffset, fitting); });
  expect_error(ErrorKind::kUnsupported, "scale", [&] { run({{"scale", 2.0f}}, kOffset, fitting); });
  expect_error(ErrorKind::kShape, "cos_cache", [&] { run({}, kOffset, {kPositions, 4}); });
  expect_error(ErrorKind::kShape, "position_ids must be in [0,9), got 9",
               [&] { run({}, Tensor::of<int64_t>({6}), fitting); });
  expect_error(ErrorKind::kShape, "position_ids must be in [0,9), got -1",
               [&] { run({}, Tensor::of<int64_t>({-1}), fitting); });
  expect_error(ErrorKind::kType, "position_ids", [&] { run({}, Tensor::of<int32_t>({1}), fitting); });
}

}  // namespace
}  // namespace linnet::testing::rotary_embedding_by_offset

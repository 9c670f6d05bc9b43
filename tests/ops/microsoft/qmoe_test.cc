#include <gtest/gtest.h>

#include <limits>

#include "support/graph_builder.h"
#include "support/run_expanded.h"
#include "support/run_op.h"

namespace linnet::testing::qmoe {
namespace {

constexpr int64_t kExperts = 3, kChosen = 2;

/// The weights of a layer in codes, and as floats.
struct Layer {
  Tensor codes, scales, zeros, floats;
};

/// rows: those of an expert, with `depth` weights each, in blocks of `block`; 0 means that a row is a block.
Layer make_layer(int bits, int64_t rows, int64_t depth, int64_t block, bool with_zeros, int64_t seed) {
  const int64_t width = block == 0 ? depth : block, blocks = depth / width, per_byte = 8 / bits;
  // Zero points of whole rows are packed along the rows, those of blocks along the blocks of a row.
  const int64_t packed = block == 0 ? (rows + per_byte - 1) / per_byte : (blocks + per_byte - 1) / per_byte;
  Layer layer{
      .codes = scattered<uint8_t>({kExperts, rows, depth * bits / 8}, seed),
      .scales = random_uniform({kExperts, rows, blocks}, 0.01f, 0.1f, unsigned(seed)),
      .zeros = scattered<uint8_t>(block == 0 ? Shape{kExperts, packed} : Shape{kExperts, rows, packed}, seed + 2),
      .floats = Tensor(DType::kFloat32, {kExperts, rows, depth})};
  const auto code = [bits](const Tensor& bytes, int64_t row, int64_t row_bytes, int64_t i) {
    return (bytes.data<uint8_t>()[row * row_bytes + i * bits / 8] >> (i * bits % 8)) & ((1 << bits) - 1);
  };
  for (int64_t row = 0; row < kExperts * rows; ++row) {
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t b = i / width;
      int zero = 1 << (bits - 1);
      if (with_zeros && block == 0) zero = code(layer.zeros, row / rows, packed, row % rows);
      if (with_zeros && block != 0) zero = code(layer.zeros, row, packed, b);
      layer.floats.data<float>()[row * depth + i] =
          float(code(layer.codes, row, depth * bits / 8, i) - zero) * layer.scales.data<float>()[row * blocks + b];
    }
  }
  if (!with_zeros) layer.zeros = Tensor();
  if (block == 0) layer.scales = layer.scales.reshaped({kExperts, rows});
  return layer;
}

/// A mixture of random layers.
struct Mixture {
  Attributes attributes{{"k", kChosen}, {"activation_type", std::string("silu")}};
  Tensor x, router, router_weights;
  Layer fc1, fc2, fc3;
  Tensor fc1_bias, fc2_bias, fc3_bias;

  std::vector<Tensor> inputs() const {
    return {x,         router,     fc1.codes, fc1.scales, fc1_bias,  fc2.codes, fc2.scales,    fc2_bias,
            fc3.codes, fc3.scales, fc3_bias,  fc1.zeros,  fc2.zeros, fc3.zeros, router_weights};
  }
  /// Returns the MoE of the floats that the codes represent.
  Tensor of_floats() const {
    Attributes all = attributes;
    std::erase_if(all, [](const auto& entry) { return entry.first.ends_with("_bits") || entry.first == "block_size"; });
    all["normalize_routing_weights"] = int64_t{1};
    return run_op({"MoE", 1, all, "com.microsoft"},
                  {x, router, fc1.floats, fc1_bias, fc2.floats, fc2_bias, fc3.floats, fc3_bias})[0];
  }
};

Mixture make_mixture(int bits, int64_t block, bool zeros, int64_t tokens, int64_t hidden, int64_t inner) {
  Mixture m;
  m.attributes["expert_weight_bits"] = int64_t{bits};
  if (block != 0) m.attributes["block_size"] = block;
  m.x = random_tensor({tokens, hidden}, 1);
  m.router = random_tensor({tokens, kExperts}, 2);
  m.fc1 = make_layer(bits, inner, hidden, block, zeros, 37);
  m.fc2 = make_layer(bits, hidden, inner, block, zeros, 53);
  m.fc1_bias = random_tensor({kExperts, inner}, 3);
  return m;
}

TEST(QMoE, GivesWhatMoEOfItsWeightsGives) {
  for (const int bits : {2, 4, 8}) {
    for (const bool zeros : {false, true}) {
      for (const int64_t block : {int64_t{0}, int64_t{16}, int64_t{32}}) {
        const Mixture m = make_mixture(bits, block, zeros, 5, 64, 96);
        expect_close(run_expanded("QMoE", m.attributes, m.inputs())[0], m.of_floats(), 1e-3, 1e-4);
      }
    }
  }
}

/// Tests rows that no block divides, experts that end within a panel, and more rows of one expert than are prepared at
/// a time.
TEST(QMoE, TakesExpertsOfAnySize) {
  for (const auto& [tokens, hidden, inner] : {std::array<int64_t, 3>{1, 20, 12}, {400, 36, 28}, {7, 300, 68}}) {
    const Mixture m = make_mixture(4, 0, true, tokens, hidden, inner);
    expect_close(run_expanded("QMoE", m.attributes, m.inputs())[0], m.of_floats(), 1e-3, 1e-4);
  }
}

TEST(QMoE, LayersMayHaveBitsOfTheirOwn) {
  Mixture m = make_mixture(4, 32, true, 6, 64, 96);
  m.fc1 = make_layer(8, 96, 64, 32, true, 37);
  m.fc3 = make_layer(2, 96, 64, 32, false, 41);
  m.fc3_bias = random_tensor({kExperts, 96}, 4);
  m.attributes["fc1_expert_weight_bits"] = int64_t{8};
  m.attributes["fc3_expert_weight_bits"] = int64_t{2};
  expect_close(run_expanded("QMoE", m.attributes, m.inputs())[0], m.of_floats(), 1e-3, 1e-4);
}

TEST(QMoE, RouterWeightsAreTheSharesOfTheChosen) {
  Mixture m = make_mixture(4, 32, false, 4, 32, 64);
  Tensor shares = random_uniform({4, kExperts}, 0.1f, 1, 9);
  m.router_weights = shares;
  const Tensor given = run_expanded("QMoE", m.attributes, m.inputs())[0];
  m.attributes["normalize_routing_weights"] = int64_t{1};
  const Tensor normalized = run_expanded("QMoE", m.attributes, m.inputs())[0];
  for (int64_t t = 0; t < 4; ++t) {
    const float *p = m.router.data<float>() + t * kExperts, *s = shares.data<float>() + t * kExperts;
    const auto least = std::min_element(p, p + kExperts) - p;
    const float sum = s[0] + s[1] + s[2] - s[least];
    for (int64_t i = 0; i < 32; ++i) {
      EXPECT_NEAR(normalized.data<float>()[t * 32 + i] * sum, given.data<float>()[t * 32 + i], 1e-3);
    }
  }
  // Without router weights, the shares are these.
  for (int64_t i = 0; i < shares.size(); ++i) {
    const float chosen = m.router.data<float>()[i];
    shares.data<float>()[i] = std::exp(chosen);
  }
  m.router_weights = shares;
  expect_close(run_expanded("QMoE", m.attributes, m.inputs())[0], m.of_floats(), 1e-3, 1e-4);
}

TEST(QMoE, RowsMayBecomeBytes) {
  Mixture m = make_mixture(4, 32, true, 9, 128, 256);
  m.attributes["accuracy_level"] = int64_t{4};
  const Tensor got = run_expanded("QMoE", m.attributes, m.inputs())[0];
  m.attributes.erase("accuracy_level");
  const Tensor want = m.of_floats();
  double error = 0, size = 0;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double x = want.data<float>()[i], d = double(got.data<float>()[i]) - x;
    error += d * d;
    size += x * x;
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-4 * size);
}

TEST(QMoE, IsBitwiseEqualForAnyNumberOfThreads) {
  const Mixture m = make_mixture(4, 32, true, 50, 256, 160);
  const auto run = [&](int threads) {
    return run_op({"QMoE", 1, m.attributes, "com.microsoft"}, m.inputs(), 1, {2, 3, 5, 6}, Isa::kAuto, threads)[0];
  };
  const Tensor one = run(1);
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(identical(one, run(threads)));
}

TEST(QMoE, RefusesScalesWhereTheModelIsLoaded) {
  Mixture m = make_mixture(4, 32, false, 4, 64, 32);
  m.fc2.scales.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  GraphBuilder b;
  std::vector<ValueId> inputs{b.input("x", m.x.shape()), b.input("router", m.router.shape())};
  for (const Tensor& part : {m.fc1.codes, m.fc1.scales, m.fc1_bias, m.fc2.codes, m.fc2.scales}) {
    inputs.push_back(b.constant(part));
  }
  b.output(b.op("QMoE", inputs, m.attributes, "com.microsoft"));
  expect_error(ErrorKind::kModel, "input scales must be finite, got nan at element 5", [&] { b.model(); });
}

TEST(QMoE, RefusesWhatDoesNotFit) {
  const auto expect_refused = [](ErrorKind kind, const std::string& text, const auto& change) {
    Mixture m = make_mixture(4, 32, true, 4, 64, 32);
    change(m);
    expect_error(kind, text, [&] { run_op({"QMoE", 1, m.attributes, "com.microsoft"}, m.inputs()); });
  };
  const auto attribute = [&](ErrorKind kind, const std::string& name, const std::variant<int64_t, std::string>& value) {
    expect_refused(kind, name,
                   [&](Mixture& m) { std::visit([&](const auto& given) { m.attributes[name] = given; }, value); });
  };
  attribute(ErrorKind::kUnsupported, "expert_weight_bits", int64_t{3});
  attribute(ErrorKind::kModel, "block_size", int64_t{24});
  attribute(ErrorKind::kUnsupported, "quant_type", "fp4");
  attribute(ErrorKind::kUnsupported, "weights_prepacked", int64_t{1});
  expect_refused(ErrorKind::kShape, "block_size", [](Mixture& m) { m.attributes["block_size"] = int64_t{128}; });
  expect_refused(ErrorKind::kShape, "fc2_scales", [](Mixture& m) { m.fc2.scales = random_tensor({kExperts, 64, 2}); });
  expect_refused(ErrorKind::kShape, "fc1_zero_points", [](Mixture& m) {
    m.fc1.zeros = scattered<uint8_t>({kExperts, 32, 2});
  });
  expect_refused(ErrorKind::kModel, "fc1_scales", [](Mixture& m) { m.fc1.scales = Tensor(); });
  expect_refused(ErrorKind::kType, "fc2_experts_weights", [](Mixture& m) {
    m.fc2.codes = random_tensor({kExperts, 64, 16});
  });
}

}  // namespace
}  // namespace linnet::testing::qmoe

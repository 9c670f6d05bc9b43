#include "gemm/quantized_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "compile/compile_input.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class QuantizedGemmChoice : public ::testing::TestWithParam<Isa> {};

/// Whether bytes are multiplied by weights in [least, most], less 128 if they are unsigned.
bool multiplies_bytes_of(Isa isa, DType dtype, int least, int most, bool constant = true) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.isa = isa;
  Fact w(dtype, Shape{6, 7});
  Tensor values(dtype, w.shape());
  auto* bytes = static_cast<uint8_t*>(values.raw());
  std::fill_n(bytes, values.size(), uint8_t(most));
  bytes[40] = uint8_t(least);
  if (dtype == DType::kUint8) std::transform(bytes, bytes + values.size(), bytes, [](int x) { return x ^ 128; });
  if (constant) w.constant = values;
  const Fact facts[] = {w};
  return multiplies_bytes(ModelCompileInput(facts, {}, *resources), 0);
}

TEST_P(QuantizedGemmChoice, OfBytesIsMadeForConstantWeightsOfSevenBits) {
  const Isa isa = resolve_isa(GetParam());
  const bool any = multiplies_bytes(isa), narrow = any || kernels_for<GemmKernels<GemmU8>>(isa).strip;
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    for (const auto& [least, most] : {std::pair{-64, 64}, {-1, 1}, {0, 0}, {-64, -64}, {64, 64}}) {
      EXPECT_EQ(multiplies_bytes_of(isa, dtype, least, most), narrow) << least << " " << most;
      EXPECT_EQ(multiplies_bytes_of(isa, dtype, least, most, false), any);
    }
    for (const auto& [least, most] : {std::pair{-65, 64}, {-64, 65}, {-128, 127}, {-128, -128}, {127, 127}}) {
      EXPECT_EQ(multiplies_bytes_of(isa, dtype, least, most), any) << least << " " << most;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, QuantizedGemmChoice, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet::testing

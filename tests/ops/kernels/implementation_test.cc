#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "ops/kernels/test_kernels.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

std::string chosen_for(std::string_view isa) {
  const auto& isas = SimdUnits<ByteDotKernels>::kIsas;
  return std::string(isas.at(choose_unit(isas, isa_from_name(isa)).value()));
}

/// Returns each base set that this machine supports: without features, with each feature, and with all.
std::vector<Isa> combinations() {
  std::vector<Isa> isas;
  for (const IsaSupport& entry : isa_support()) {
    if (!entry.supported) continue;
    Features all;
    isas.push_back(entry.isa);
    for (const FeatureSupport& f : entry.features) {
      if (!f.supported) continue;
      isas.push_back({entry.isa.base(), f.feature});
      isas.push_back({entry.isa.base(), all |= f.feature});
    }
  }
  return isas;
}

TEST(Implementation, IsTheFirstWhoseFeaturesAreAskedFor) {
#ifdef __x86_64__
  if (isa_support()[0].name == "avx512") {  // LINNET_SIMD_ISAS may leave it out.
    EXPECT_EQ(chosen_for("avx512+vnni"), "avx512+vnni");
    EXPECT_EQ(chosen_for("avx512+vnni+bf16"), "avx512+vnni");
    EXPECT_EQ(chosen_for("avx512+bf16"), "avx512");
    EXPECT_EQ(chosen_for("avx512"), "avx512");
  }
  EXPECT_EQ(chosen_for("avx2+vnni"), "avx2+vnni");
  EXPECT_EQ(chosen_for("avx2"), "avx2");
  EXPECT_EQ(chosen_for("baseline"), "baseline");
#else
  EXPECT_EQ(chosen_for(isa_support()[0].name), isa_support()[0].name);
#endif
}

TEST(Implementation, ComputesTheSameWithAndWithoutItsFeature) {
  std::vector<uint8_t> a(1000);
  std::vector<int8_t> b(a.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = uint8_t(i * 37), b[i] = int8_t(i * 91 + 5);
  for (const int64_t n : {0, 3, 31, 32, 100, 1000}) {
    const int32_t want = std::inner_product(a.begin(), a.begin() + n, b.begin(), 0);
    for (const Isa isa : combinations())
      EXPECT_EQ(test_kernels<ByteDotKernels>(isa).dot(a.data(), b.data(), n), want) << isa_name(isa);
  }
}

TEST(Implementation, ExistsOnceForEachFamilyOfTheLibrary) {
  std::multiset<std::string_view> families;
  for (const ChosenKernels& kernels : chosen_kernels(Isa::kBaseline)) families.insert(kernels.family);
  EXPECT_GE(families.size(), 40u);
  EXPECT_EQ(families.size(), std::set(families.begin(), families.end()).size());
  for (const Isa isa : combinations()) {
    std::multiset<std::string_view> chosen;
    for (const ChosenKernels& kernels : chosen_kernels(isa)) chosen.insert(kernels.family);
    EXPECT_EQ(chosen, families) << isa_name(isa);
  }
}

TEST(KernelsFor, HasOneTableForEachSetOfFeatures) {
  std::set<const UnaryKernels*> tables;
  const std::vector<Isa> isas = combinations();
  for (const Isa isa : isas) {
    const UnaryKernels& table = kernels_for<UnaryKernels>(isa);
    EXPECT_EQ(&table, &kernels_for<UnaryKernels>(isa));
    tables.insert(&table);
  }
  EXPECT_EQ(tables.size(), std::set<Isa>(isas.begin(), isas.end()).size());
}

}  // namespace
}  // namespace linnet::testing

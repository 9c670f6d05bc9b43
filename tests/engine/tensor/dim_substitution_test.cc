#include "tensor/dim_substitution.h"

#include <gtest/gtest.h>

#include "linnet/error.h"

namespace linnet::testing {
namespace {

TEST(DimSubstitution, ReplacesSymbolsEverywhere) {
  const Dim n("N"), m("M");
  DimSubstitution numbers;
  numbers.add(n, m + 1);
  EXPECT_EQ(str(numbers(n * n)), "M^2+2*M+1");
  EXPECT_EQ(str(numbers(2 * floor_div(n, 2) + min(n, m + 3))), str(2 * floor_div(m + 1, 2) + m + 1));
  EXPECT_EQ(str(numbers(m)), "M");
  EXPECT_EQ(str(numbers(5)), "5");
  EXPECT_FALSE(numbers(Dim()).determined());
}

TEST(DimSubstitution, ReplacesAtomsThatAreNoSymbols) {
  const Dim s("S");
  DimSubstitution values;
  values.add(min(s, 512), s);
  EXPECT_EQ(str(values(2 * min(s, 512))), "2*S");
  EXPECT_EQ(str(values(min(s, 511))), "min(S,511)");
}

TEST(DimSubstitution, LaterOnesChangeThoseBefore) {
  const Dim n("N"), m("M"), k("K");
  DimSubstitution values;
  values.add(n, m + 1);
  values.add(m, k * 2);
  values.add(k, 4);
  EXPECT_EQ(str(values(n)), "9");
  EXPECT_EQ(str(values(m + k)), "12");
}

TEST(DimSubstitution, GivesSymbolsOtherBounds) {
  const Dim s("S");
  DimSubstitution bounds;
  bounds.add(s, bounded_symbol(**Polynomial::atom_of(s), {{1, 512}, {2, 512}}));
  EXPECT_EQ(bounds(s * 2).upper_bound(), 1024);
  EXPECT_EQ(str(bounds(min(s, 600))), "S");
  EXPECT_TRUE(certainly_equal(bounds(s), s));
}

TEST(DimSubstitution, WhatBecomesTooLargeIsUnknown) {
  const Dim n("N");
  DimSubstitution values;
  values.add(n, INT64_MAX);
  EXPECT_FALSE(values(n * n).determined());
  EXPECT_EQ(str(values(n)), str(INT64_MAX));
}

}  // namespace
}  // namespace linnet::testing

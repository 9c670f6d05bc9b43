#include "tensor/dim_equations.h"

#include <gtest/gtest.h>

#include "linnet/error.h"

namespace linnet::testing {
namespace {

const Dim kS("S"), kT("T"), kP("P"), kN("N");

std::string after(const std::vector<DimScope::Lesson>& lessons, const Dim& dim) { return str(solve(lessons)(dim)); }

TEST(DimEquations, GivesSymbolsWithoutANameTheirValueFirst) {
  const Dim fresh = Dim::fresh();
  EXPECT_EQ(after({{fresh, kS + 1, true}}, fresh), "S+1");
  EXPECT_EQ(after({{kS + 1, fresh, true}}, fresh), "S+1");
  EXPECT_EQ(after({{kS, 2 * fresh, true}}, fresh), "floor(S/2)");
  EXPECT_EQ(after({{kS + 2 * fresh, kT, true}}, kS), "S");
  EXPECT_EQ(after({{kT, fresh * kS, true}}, kT), "T");
}

TEST(DimEquations, GivesAtomsTheirValueBeforeNamedSymbols) {
  const Dim least = min(kS, 512);
  const DimSubstitution learned = solve({{least, kS, true}});
  EXPECT_EQ(str(learned(least)), "S");
  EXPECT_EQ(learned(kS).upper_bound(), 512);
  const DimSubstitution greatest = solve({{max(kS, 4), kS, true}});
  EXPECT_EQ(str(greatest(max(kS, 4) + 1)), "S+1");
  EXPECT_EQ(greatest(kS).lower_bound(), 4);
}

TEST(DimEquations, SolvesForNumbers) {
  EXPECT_EQ(after({{32 * kS, 160, true}}, kS), "5");
  EXPECT_EQ(after({{32 * kS, 161, true}}, kS), "S");
  EXPECT_EQ(after({{kS * kT, kT * 3, true}}, kS), "S");  // T may be 0
  const Dim t = bounded_symbol(**Polynomial::atom_of(kT), {{1, INT64_MAX}, {1, INT64_MAX}});
  EXPECT_EQ(after({{kS * t, t * 3, true}}, kS), "3");
}

TEST(DimEquations, LearnsBounds) {
  const DimSubstitution learned = solve({{1024, kP + kT, false}, {kT, 1, false}});
  EXPECT_EQ(learned(kP).upper_bound(), 1024);
  EXPECT_EQ(learned(kT).upper_bound(), 1024);
  EXPECT_EQ(learned(kT).lower_bound(), 1);
  EXPECT_EQ(str(learned(min(kP, 1024))), "P");
  EXPECT_EQ(solve({{2 * kS, 5, false}})(kS).lower_bound(), 3);
  EXPECT_EQ(solve({{5, 2 * kS, false}})(kS).upper_bound(), 2);
}

TEST(DimEquations, ValuesKeepTheBoundsOfWhatTheyReplace) {
  const Dim fresh = Dim::fresh();
  EXPECT_EQ(solve({{fresh, kS - 3, true}})(kS).lower_bound(), 3);  // as no dim is below 0
}

TEST(DimEquations, ContradictionsChangeNothing) {
  EXPECT_EQ(after({{kS, 3, true}, {kS, 4, true}}, kS), "3");
  EXPECT_TRUE(solve({{3, 4, true}}).empty());
  EXPECT_TRUE(solve({{kS, -3, true}}).empty());
  EXPECT_TRUE(solve({{-1, kS, false}}).empty());
  EXPECT_EQ(after({{4, kS, false}, {kS, 9, false}}, kS), "S");
  EXPECT_TRUE(solve({{kS, Dim(), true}, {Dim(), kS, false}}).empty());
}

TEST(DimEquations, WhatIsAssumedGivesWayToWhatIsCertain) {
  const Dim s = bounded_symbol(**Polynomial::atom_of(kS), {{0, INT64_MAX}, {2, INT64_MAX}});
  const Bounds bounds = bounds_of(solve({{1, s, false}})(s));
  EXPECT_EQ(bounds.certain, (Interval{0, 1}));
  EXPECT_EQ(bounds.assumed, (Interval{0, 1}));
}

TEST(DimEquations, CirclesEnd) {
  const DimSubstitution learned = solve({{kS, kT, true}, {kT, kP, true}, {kP, kS, true}});
  EXPECT_TRUE(certainly_equal(learned(kS), learned(kT)));
  EXPECT_TRUE(certainly_equal(learned(kT), learned(kP)));
  EXPECT_EQ(after({{kS, kT + 1, true}, {kT, kS + 1, true}}, kS), "T+1");  // no run has this
  EXPECT_EQ(after({{kS, min(kS, kT), true}}, min(kS, kT)), "S");
  EXPECT_EQ(after({{kS, floor_div(kS + 1, 2), true}}, floor_div(kS + 1, 2)), "S");
}

TEST(DimEquations, ManyLessonsEndQuickly) {
  std::vector<DimScope::Lesson> lessons;
  std::vector<Dim> symbols{Dim::fresh()};
  for (int i = 0; i < 20000; ++i) {
    symbols.push_back(Dim::fresh());
    lessons.push_back({symbols[size_t(i)], symbols.back() + kN, true});
  }
  EXPECT_EQ(solve(lessons).size(), 500);
}

TEST(DimEquations, ALessonNeedsAScope) {
  learn_equal(kS, 3);
  DimScope outer;
  learn_equal(kS, 4);
  {
    DimScope inner;
    learn_at_least(kS, 5);
    EXPECT_EQ(inner.take_lessons().size(), 1);
  }
  const std::vector<DimScope::Lesson> lessons = outer.take_lessons();
  ASSERT_EQ(lessons.size(), 1);
  EXPECT_EQ(str(lessons[0].b), "4");
  EXPECT_TRUE(outer.take_lessons().empty());
}

}  // namespace
}  // namespace linnet::testing

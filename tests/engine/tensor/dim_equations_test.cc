#include "tensor/dim_equations.h"

#include <gtest/gtest.h>

#include "linnet/error.h"
#include "support/drawn_dims.h"

namespace linnet::testing {
namespace {

const Dim kS("S"), kT("T"), kP("P"), kN("N");

std::string after(const std::vector<DimScope::Lesson>& lessons, const Dim& dim) { return str(solve(lessons)(dim)); }

/// Returns all points of small numbers at which the equations and the inequality hold.
std::vector<Point> solutions(const std::vector<std::pair<DrawnDim, DrawnDim>>& equal, const DrawnDim& more,
                             const DrawnDim& less) {
  std::vector<Point> result;
  for (int64_t i = 0; i < 7 * 7 * 7; ++i) {
    const Point p{i / 49, i / 7 % 7, i % 7};
    const bool hold =
        std::ranges::all_of(equal, [&](const auto& pair) { return pair.first.number(p) == pair.second.number(p); });
    if (hold && more.number(p) >= less.number(p)) result.push_back(p);
  }
  return result;
}

TEST(DimEquations, WhatFollowsHoldsWhereverTheLessonsDo) {
  const std::array<Dim, 3> symbols{kS, kT, Dim::fresh()};
  DrawnDims drawn(5, symbols);
  int learned_from = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<std::pair<DrawnDim, DrawnDim>> equal{{drawn.expression(2), drawn.expression(2)},
                                                           {drawn.expression(1), drawn.expression(1)}};
    const DrawnDim more = drawn.expression(2), less = drawn.expression(1), other = drawn.expression(3);
    const std::vector<Point> points = solutions(equal, more, less);
    const DimSubstitution learned = solve({{equal[0].first.dim, equal[0].second.dim, true},
                                           {more.dim, less.dim, false},
                                           {equal[1].first.dim, equal[1].second.dim, true}});
    if (points.empty()) continue;
    learned_from += !learned.empty();
    for (const Dim& dim : {symbols[0], symbols[1], symbols[2], other.dim}) {
      const Dim after = learned(dim);
      if (!after.determined()) continue;
      for (const Point& p : points) {
        const DimSubstitution numbers = drawn.numbers(p);
        SCOPED_TRACE(str(equal[0].first.dim, " = ", equal[0].second.dim, ", ", equal[1].first.dim, " = ",
                         equal[1].second.dim, ", ", more.dim, " >= ", less.dim, " at ", p[0], ", ", p[1], ", ", p[2]));
        const Dim number = numbers(dim);
        ASSERT_TRUE(certainly_equal(numbers(after), number)) << dim << " becomes " << after;
        ASSERT_LE(after.lower_bound(), number.value()) << dim << " becomes " << after;
        ASSERT_GE(after.upper_bound(), number.value()) << dim << " becomes " << after;
      }
    }
  }
  EXPECT_GT(learned_from, 500);
}

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
  const Dim t = symbol("T", 1);
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
  EXPECT_EQ(solve({{fresh, kS - 3, true}})(kS).lower_bound(), 3);  // because no dim is negative
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
  const Dim s = symbol("S", 0, 2);
  const Bounds bounds = bounds_of(solve({{1, s, false}})(s));
  EXPECT_EQ(bounds.certain, (Interval{0, 1}));
  EXPECT_EQ(bounds.assumed, (Interval{0, 1}));
}

TEST(DimEquations, NothingContradictsAnAssumptionThatLessonsMayNeed) {
  const Dim s = symbol("S", 0, 2);
  const std::vector<DimScope::Lesson> lessons = {{s, s * 2, true}};
  EXPECT_EQ(str(solve(lessons)(s)), "0");
  DimScope scope(Dims{s});
  EXPECT_EQ(str(solve(lessons)(s)), "0");
  scope.begin_assuming();
  EXPECT_TRUE(solve(lessons).empty());
}

TEST(DimEquations, CirclesEnd) {
  const DimSubstitution learned = solve({{kS, kT, true}, {kT, kP, true}, {kP, kS, true}});
  EXPECT_TRUE(certainly_equal(learned(kS), learned(kT)));
  EXPECT_TRUE(certainly_equal(learned(kT), learned(kP)));
  EXPECT_EQ(after({{kS, kT + 1, true}, {kT, kS + 1, true}}, kS), "T+1");  // no run satisfies this
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
  DimScope outer(Dims{kS});
  learn_equal(kS, 4);
  {
    DimScope inner(Dims{kS});
    learn_at_least(kS, 5);
    EXPECT_EQ(inner.take_lessons().size(), 1);
  }
  const std::vector<DimScope::Lesson> lessons = outer.take_lessons();
  ASSERT_EQ(lessons.size(), 1);
  EXPECT_EQ(str(lessons[0].b), "4");
  EXPECT_TRUE(outer.take_lessons().empty());
  EXPECT_EQ(outer.conditions().size(), 1);
}

TEST(DimEquations, ThereAreLessonsOnlyOfWhatCanBeChecked) {
  DimScope scope(Dims{kS});
  learn_equal(kS, Dim::fresh());
  learn_equal(kS, Dim("data"));
  learn_equal(kS, kS + 0);
  learn_at_least(kS, 0);
  {
    const DimScope::NoLessons body;
    learn_equal(kS, 7);
  }
  EXPECT_TRUE(scope.take_lessons().empty());
  learn_equal(kS, 7);
  EXPECT_EQ(scope.take_lessons().size(), 1);
}

}  // namespace
}  // namespace linnet::testing

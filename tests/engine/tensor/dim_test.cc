#include "linnet/dim.h"

#include <gtest/gtest.h>

#include "linnet/error.h"
#include "support/drawn_dims.h"
#include "tensor/dim_scope.h"
#include "tensor/interval.h"

namespace linnet::testing {
namespace {

// --- Random expressions against brute force -------------------------------------------------------------------------

/// Expects certain answers to be right at all points.
void expect_right(const DrawnDims& drawn, const DrawnDim& a, const DrawnDim& b, const std::vector<Point>& points) {
  const bool equal = certainly_equal(a.dim, b.dim), different = certainly_different(a.dim, b.dim);
  const bool at_least = certainly_at_least(a.dim, b.dim);
  const Dim quotient = floor_div(a.dim, b.dim), rest = remainder(a.dim, b.dim);
  const Dim exact = exact_quotient(a.dim * b.dim, b.dim);
  for (const Point& p : points) {
    const int64_t x = a.number(p), y = b.number(p);
    SCOPED_TRACE(str(a.dim, " and ", b.dim, " at ", p[0], ", ", p[1], ", ", p[2]));
    const DimSubstitution numbers = drawn.numbers(p);
    ASSERT_TRUE(certainly_equal(numbers(a.dim), x)) << numbers(a.dim) << ", not " << x;
    ASSERT_TRUE(!equal || x == y);
    ASSERT_TRUE(!different || x != y);
    ASSERT_TRUE(!at_least || x >= y);
    ASSERT_TRUE(!exact.determined() || y == 0 || certainly_equal(numbers(exact), x)) << exact;
    if (y < 1) continue;
    const int64_t whole = floor_quotient(x, y);
    ASSERT_TRUE(!quotient.determined() || certainly_equal(numbers(quotient), whole)) << quotient;
    ASSERT_TRUE(!rest.determined() || certainly_equal(numbers(rest), x - y * whole)) << rest;
  }
}

void expect_bounds(const DrawnDim& a, const std::vector<Point>& points) {
  for (const Point& p : points) {
    ASSERT_LE(a.dim.lower_bound(), a.number(p)) << a.dim;
    ASSERT_GE(a.dim.upper_bound(), a.number(p)) << a.dim;
  }
}

std::vector<Point> points_from(DrawnDims& drawn, int64_t low) {
  std::vector<Point> points{{low, low, low}, {low + 1, low, low}, {low, low + 1, low + 1}};
  while (points.size() < 8) points.push_back({drawn.number(low, 30), drawn.number(low, 30), drawn.number(low, 30)});
  return points;
}

TEST(Dim, RandomExpressionsAreWhatNumbersGive) {
  int equal_at_all = 0, proven = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    DrawnDims drawn(seed, {symbol("N", seed), symbol("M", seed), symbol("K", seed)});
    for (int i = 0; i < 2500; ++i) {
      const DrawnDim a = drawn.expression(4), b = drawn.expression(4);
      if (!a.dim.determined() || !b.dim.determined()) continue;
      const std::vector<Point> points = points_from(drawn, seed);
      expect_right(drawn, a, b, points);
      expect_bounds(a, points);
      if (HasFatalFailure()) return;
      if (!std::ranges::all_of(points, [&](const Point& p) { return a.number(p) == b.number(p); })) continue;
      ++equal_at_all;
      proven += certainly_equal(a.dim, b.dim);
    }
  }
  EXPECT_GE(proven, equal_at_all * 8 / 10) << "of " << equal_at_all;
}

TEST(Dim, RandomExpressionsAreRightWhereWhatIsAssumedHolds) {
  DrawnDims drawn(7, {symbol("N", 0, 2), symbol("M", 0, 2), symbol("K", 0, 2)});
  for (int i = 0; i < 2500; ++i) {
    DimScope scope;
    if (i % 2 == 0) scope.begin_assuming();
    const DrawnDim a = drawn.expression(4), b = drawn.expression(4);
    if (!a.dim.determined() || !b.dim.determined()) continue;
    const auto built_on = scope.assumed();
    expect_bounds(a, points_from(drawn, built_on.empty() ? 0 : 2));
    const std::vector<Point> larger = points_from(drawn, 2), all = points_from(drawn, 0);
    expect_right(drawn, a, b, larger);
    if (scope.assumed().empty()) expect_right(drawn, a, b, all);
    if (HasFatalFailure()) return;
  }
}

TEST(Dim, SumsAndProductsHaveOneForm) {
  DrawnDims drawn(11, {Dim("N"), Dim("M"), Dim::fresh()});
  for (int i = 0; i < 2000; ++i) {
    const Dim a = drawn.expression(3).dim, b = drawn.expression(3).dim, c = drawn.expression(3).dim;
    const auto expect_same = [](const Dim& x, const Dim& y) {
      if (!x.determined() || !y.determined()) return;
      EXPECT_TRUE(certainly_equal(x, y)) << x << " and " << y;
    };
    expect_same((a + b) + c, a + (b + c));
    expect_same(a * b, b * a);
    expect_same(a * (b + c), a * b + a * c);
    expect_same(a - b + b, a);
    expect_same(min(a, b), min(b, a));
    expect_same(max(a, b), max(b, a));
  }
}

// --- Answers --------------------------------------------------------------------------------------------------------

TEST(Dim, IsANumberAnExpressionOrUnknown) {
  const Dim unknown, number = 3, n("N");
  EXPECT_TRUE(number.known() && number.determined() && number.value() == 3);
  EXPECT_TRUE(!n.known() && n.determined() && n.symbol() == "N");
  EXPECT_TRUE(!unknown.known() && !unknown.determined());
  EXPECT_FALSE(Dim(std::string()).determined());
  EXPECT_EQ((n + 1).symbol(), "");
  EXPECT_EQ(Dim::fresh().symbol(), "");
}

TEST(Dim, NothingIsCertainOfUnknownDims) {
  const Dim unknown, n("N");
  for (const Dim& other : {unknown, n, Dim(3)}) {
    EXPECT_FALSE(certainly_equal(unknown, other));
    EXPECT_FALSE(certainly_different(unknown, other));
    EXPECT_FALSE(certainly_at_least(unknown, other));
    EXPECT_FALSE(certainly_at_least(other, unknown));
    for (const Dim& result :
         {unknown + other, unknown * other, other - unknown, floor_div(unknown, 2), min(unknown, other),
          floor_div(3, unknown), exact_quotient(other, unknown), remainder(unknown, 3)}) {
      EXPECT_FALSE(result.determined());
    }
  }
}

TEST(Dim, FreshSymbolsEqualTheirCopiesOnly) {
  const Dim a = Dim::fresh(), b = Dim::fresh(), copy = a;
  EXPECT_TRUE(certainly_equal(a, copy));
  EXPECT_FALSE(certainly_equal(a, b));
  EXPECT_FALSE(certainly_different(a, b));
  EXPECT_FALSE(certainly_equal(floor_div(a, 2), floor_div(b, 2)));  // although both print as the same text
  EXPECT_FALSE(certainly_equal(min(a, 8), min(b, 8)));
  EXPECT_TRUE(certainly_equal(min(a, 8), min(copy, 8)));
}

TEST(Dim, NamesAreOpaque) {
  const Dim n("N"), odd("(N+1)"), other("min(N,4)");
  EXPECT_FALSE(certainly_equal(floor_div(odd, 2), floor_div(n + 1, 2)));
  EXPECT_FALSE(certainly_equal(other, min(n, 4)));
  EXPECT_TRUE(certainly_equal(Dim("N"), n));
}

TEST(Dim, ComparesWhatIsCertain) {
  const Dim n("N"), m("M");
  EXPECT_TRUE(certainly_different(n, n + 1));
  EXPECT_TRUE(certainly_different(2 * n, 2 * m + 1));  // an even and an odd number
  EXPECT_FALSE(certainly_different(n, m));
  EXPECT_TRUE(certainly_at_least(n + m, n));
  EXPECT_TRUE(certainly_at_least(512, min(n, 512)));
  EXPECT_FALSE(certainly_at_least(n, 1));
  EXPECT_TRUE(certainly_at_least(INT64_MAX, n));
  EXPECT_TRUE(certainly_equal(Dims{n, 3}, Dims{Dim("N"), 3}));
  EXPECT_FALSE(certainly_equal(Dims{n, 3}, Dims{n}));
}

TEST(Dim, AssumesOnlyInAScopeThatDoesAndNotesIt) {
  const Dim n = symbol("N", 0, 2), m = symbol("M", 0, 2);
  EXPECT_FALSE(certainly_at_least(n, 2));
  DimScope scope;
  EXPECT_FALSE(certainly_different(n, 1));
  scope.begin_assuming();
  EXPECT_TRUE(certainly_at_least(m, 0));
  EXPECT_TRUE(scope.assumed().empty());
  EXPECT_TRUE(certainly_different(n, 1));
  ASSERT_EQ(scope.assumed().size(), 1);
  EXPECT_TRUE(certainly_equal(*scope.assumed().begin(), n));
  EXPECT_FALSE(certainly_at_least(n, 3));
}

TEST(Dim, Divides) {
  const Dim w("W"), s("S"), p = symbol("P", 1);
  EXPECT_TRUE(certainly_equal(floor_div(6 * w + 4, 6), w));
  EXPECT_TRUE(certainly_equal(floor_div(floor_div(w, 2), 3), floor_div(w, 6)));
  EXPECT_TRUE(certainly_equal(floor_div(s * p * 64, p), s * 64));
  EXPECT_TRUE(certainly_equal(floor_div(s * p, 2 * p), floor_div(s, 2)));
  EXPECT_TRUE(certainly_equal(exact_quotient(s * s - 1, s - 1), s + 1));
  EXPECT_FALSE(exact_quotient(s + 1, 2).determined());
  EXPECT_FALSE(exact_quotient(s, 0).determined());
  EXPECT_FALSE(floor_div(s, 0).determined());
  EXPECT_FALSE(floor_div(w, s).determined());  // S may be 0
  EXPECT_TRUE(certainly_equal(remainder(4 * w + 3, 4), 3));
  EXPECT_TRUE(certainly_equal(ceil_div(4 * w + 3, 4), w + 1));
}

// --- Printing -------------------------------------------------------------------------------------------------------

TEST(Dim, Prints) {
  const Dim n("N"), s("S"), w("W"), p("P");
  EXPECT_EQ(str(Dim()), "?");
  EXPECT_EQ(str(Dim(-3)), "-3");
  EXPECT_EQ(str(Dim::fresh()), "?");
  EXPECT_EQ(str(1 + n * 2), "2*N+1");
  EXPECT_EQ(str(0 - n), "-N");
  EXPECT_EQ(str(s * n - 3 * n), "N*S-3*N");
  EXPECT_EQ(str(p * p + 2 * p - 1), "P^2+2*P-1");
  EXPECT_EQ(str(floor_div(w + 1, 2)), "floor((W+1)/2)");
  EXPECT_EQ(str(floor_div(w, n + 1)), "floor(W/(N+1))");
  EXPECT_EQ(str(min(512, s)), "min(S,512)");
  EXPECT_EQ(str(max(s - 3, n)), "max(N,S-3)");
  EXPECT_EQ(str(2 * min(s, 512) * n), "2*N*min(S,512)");
}

// --- Limits ---------------------------------------------------------------------------------------------------------

TEST(Dim, NumbersBeyondSixtyFourBitsAreUnknown) {
  EXPECT_FALSE((Dim(INT64_MAX) + 1).determined());
  EXPECT_FALSE((Dim(INT64_MIN + 1) - 2).determined());
  EXPECT_FALSE((Dim(INT64_MAX) * 2).determined());
  EXPECT_FALSE((Dim("N") * INT64_MAX + Dim("N")).determined());
}

TEST(Dim, WhatDoublesBecomesUnknown) {
  Dim sum("N"), square("N");
  for (int i = 0; i < 64; ++i) sum += sum;
  for (int i = 0; i < 64; ++i) square *= square + 1;
  EXPECT_FALSE(sum.determined());
  EXPECT_FALSE(square.determined());
}

TEST(Dim, SumsOfManySymbolsBecomeUnknown) {
  Dim sum = 0, product = 1;
  for (int i = 0; i < 10000; ++i) {
    const Dim next(str("S", i));
    sum += next;
    product *= next + 1;
  }
  EXPECT_FALSE(sum.determined());
  EXPECT_FALSE(product.determined());
}

TEST(Dim, WhatNestsBecomesUnknown) {
  Dim least("N"), tower("N"), mixed("N");
  for (int i = 0; i < 100; ++i) {
    const Dim next(str("S", i));
    least = min(least, next);
    tower = floor_div(tower * tower + next, 3);
    mixed = max(floor_div(mixed + next, next + 1), min(mixed, next));
  }
  EXPECT_FALSE(least.determined());
  EXPECT_FALSE(tower.determined());
  EXPECT_FALSE(mixed.determined());
}

TEST(Dim, ExpressionsHaveLimits) {
  Dim sum = 0, power = 1, nested("N");
  for (int i = 0; i < 32; ++i) sum += Dim(str("S", i));
  for (int i = 0; i < 8; ++i) power *= Dim("N");
  for (int i = 0; i < 2; ++i) nested = max(floor_div(3 * nested - 7, 2), 5);
  EXPECT_TRUE(sum.determined() && power.determined() && nested.determined());
  EXPECT_FALSE((sum + Dim("T")).determined());
  EXPECT_FALSE((power * Dim("N")).determined());
  EXPECT_FALSE(floor_div(3 * nested - 7, 2).determined());
}

TEST(Dim, MinimaAndMaximaMeetNumbers) {
  const Dim s("S");
  EXPECT_EQ(str(min(min(s, 512), 300)), "min(S,300)");
  EXPECT_EQ(str(min(100, min(s, 512) - 12)), str(min(s - 12, 100)));
  EXPECT_EQ(str(max(max(s, 4), 9)), "max(S,9)");
  EXPECT_EQ(str(floor_div(min(s, 512) + 1, 2)), "min(floor((S+1)/2),256)");
}

TEST(Dim, AScopeBoundsTheWorkOnExpressions) {
  Dim sum = 0;
  for (int i = 0; i < 30; ++i) sum += Dim(str("S", i));
  const Dim n = Dim("N") + 1;
  {
    DimScope scope;
    for (int i = 0; i < 200000 && (sum + i).determined(); ++i) {
    }
    EXPECT_FALSE((n + 1).determined());
    EXPECT_FALSE((n * n).determined());
    EXPECT_TRUE(Dim("K").determined() && Dim::fresh().determined());  // known symbols are not lost
    EXPECT_TRUE((Dim("K") * 2).determined());
    const DimScope next;
    EXPECT_TRUE((n + 1).determined());
  }
  EXPECT_TRUE((n + 1).determined());
}

TEST(Dim, QuotientsOfQuotientsAreOne) {
  Dim w("W");
  for (int i = 0; i < 40; ++i) w = floor_div(w + 1, 2);  // 40 windows of stride 2
  EXPECT_TRUE(w.determined());
  EXPECT_TRUE(certainly_equal(w, floor_div(Dim("W") + ((int64_t{1} << 40) - 1), int64_t{1} << 40))) << w;
}

}  // namespace
}  // namespace linnet::testing

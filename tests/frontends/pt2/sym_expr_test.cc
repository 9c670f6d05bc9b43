#include "pt2/sym_expr.h"

#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using pt2::parse_sym_expr;
using pt2::SymExpr;

const std::string kS = "Symbol('s', positive=True, integer=True)";
const std::string kT = "Symbol('t', integer=True)";

/// Evaluates an expression with s = 7 and t = -3.
std::optional<int64_t> value(const std::string& text) { return parse_sym_expr(text).evaluate({{"s", 7}, {"t", -3}}); }

std::string call(const std::string& head, const std::string& a, const std::string& b) {
  return head + "(" + a + ", " + b + ")";
}
std::string integer(int64_t number) { return "Integer(" + std::to_string(number) + ")"; }

void expect_expression_refused(ErrorKind kind, const std::string& text, const std::string& expr) {
  expect_error(kind, text, [&] { parse_sym_expr(expr); });
}

TEST(Pt2SymExpr, IsATree) {
  const SymExpr expr = parse_sym_expr(call("Mul", integer(2), kS));
  ASSERT_TRUE(expr.is_call());
  EXPECT_EQ(expr.head(), "Mul");
  ASSERT_EQ(expr.arguments().size(), 2U);
  EXPECT_TRUE(expr.arguments()[0].is_integer());
  EXPECT_EQ(expr.arguments()[0].integer(), 2);
  ASSERT_TRUE(expr.arguments()[1].is_symbol());
  EXPECT_EQ(expr.arguments()[1].name(), "s");
  EXPECT_EQ(expr.describe(), "Mul(2, s)");
  EXPECT_EQ(expr, parse_sym_expr(call("Mul", integer(2), "Symbol('s')")));
  EXPECT_FALSE(expr == parse_sym_expr(call("Mul", integer(3), kS)));
}

TEST(Pt2SymExpr, Evaluates) {
  EXPECT_EQ(value(integer(-5)), -5);
  EXPECT_EQ(value(kS), 7);
  EXPECT_EQ(value(call("Add", kS, kT)), 4);
  EXPECT_EQ(value("Add(" + kS + ", " + kT + ", Integer(10))"), 14);
  EXPECT_EQ(value(call("Mul", kS, kT)), -21);
  EXPECT_EQ(value(call("Pow", kS, integer(3))), 343);
  EXPECT_EQ(value(call("Max", kS, kT)), 7);
  EXPECT_EQ(value(call("Min", kS, kT)), -3);
  EXPECT_EQ(value("Max(Integer(3), FloorDiv(Add(" + kS + ", Integer(3)), Integer(2)))"), 5);
}

TEST(Pt2SymExpr, DividesAsPythonDoes) {
  EXPECT_EQ(value(call("FloorDiv", kS, integer(2))), 3);
  EXPECT_EQ(value(call("FloorDiv", kT, integer(2))), -2);
  EXPECT_EQ(value(call("FloorDiv", kS, integer(-2))), -4);
  EXPECT_EQ(value(call("CeilDiv", kT, integer(2))), -1);
  EXPECT_EQ(value(call("PythonMod", kT, integer(2))), 1);
  EXPECT_EQ(value(call("PythonMod", kS, integer(-4))), -1);
  EXPECT_EQ(value(call("Mod", kS, integer(4))), 3);
  EXPECT_EQ(value("ModularIndexing(" + kS + ", Integer(2), Integer(2))"), 1);
  EXPECT_EQ(value(call("CleanDiv", integer(14), kS)), 2);
  EXPECT_EQ(value(call("CleanDiv", integer(15), kS)), std::nullopt);
}

TEST(Pt2SymExpr, RoundsFractions) {
  const std::string half = "Mul(Rational(1, 2), " + kS + ")", other = "Mul(Rational(1, 2), " + kT + ")";
  EXPECT_EQ(value(half), std::nullopt);
  EXPECT_EQ(value("floor(" + half + ")"), 3);
  EXPECT_EQ(value("ceiling(" + half + ")"), 4);
  EXPECT_EQ(value("floor(" + other + ")"), -2);
  EXPECT_EQ(value("ceiling(" + other + ")"), -1);
  EXPECT_EQ(value("TruncToInt(" + other + ")"), -1);
  EXPECT_EQ(value("CeilToInt(IntTrueDiv(" + kS + ", Integer(2)))"), 4);
  EXPECT_EQ(value("TruncToInt(Mul(Float('2.5', precision=53), ToFloat(" + kS + ")))"), 17);
  EXPECT_EQ(value("Mul(Integer(14), Pow(" + kS + ", Integer(-1)))"), 2);
}

TEST(Pt2SymExpr, ComparesAndChooses) {
  EXPECT_EQ(value(call("StrictGreaterThan", kS, kT)), 1);
  EXPECT_EQ(value(call("LessThan", kS, kT)), 0);
  EXPECT_EQ(value(call("GreaterThan", kS, integer(7))), 1);
  EXPECT_EQ(value(call("StrictLessThan", kS, integer(7))), 0);
  EXPECT_EQ(value(call("Equality", kS, integer(7))), 1);
  EXPECT_EQ(value(call("Unequality", kS, integer(7))), 0);
  EXPECT_EQ(value("Where(true, Integer(4), Integer(5))"), 4);
  EXPECT_EQ(value("And(true, Not(false))"), 1);
}

TEST(Pt2SymExpr, IsUnknownWhereItCannotBeTold) {
  const std::string greatest = integer(INT64_MAX);
  EXPECT_EQ(value("Symbol('u0', integer=True)"), std::nullopt);
  EXPECT_EQ(value("Novel(Integer(1))"), std::nullopt);
  EXPECT_EQ(value("oo"), std::nullopt);
  EXPECT_EQ(value("FloorDiv(Integer(1))"), std::nullopt);
  EXPECT_EQ(value("Add()"), std::nullopt);
  EXPECT_EQ(value("Float('0.1', precision=53)"), std::nullopt);
  EXPECT_EQ(value(call("Add", greatest, integer(1))), std::nullopt);
  EXPECT_EQ(value(call("Mul", greatest, greatest)), std::nullopt);
  EXPECT_EQ(value(call("Pow", integer(2), integer(64))), std::nullopt);
  EXPECT_EQ(value(call("Pow", integer(0), integer(-1))), std::nullopt);
  EXPECT_EQ(value(call("FloorDiv", kS, integer(0))), std::nullopt);
  EXPECT_EQ(value(call("Mod", integer(INT64_MIN), integer(-1))), std::nullopt);
  EXPECT_EQ(value("Integer(9223372036854775808)"), std::nullopt);
}

TEST(Pt2SymExpr, PowersOfOneHaveNoLimit) {
  EXPECT_EQ(value(call("Pow", integer(1), integer(INT64_MAX))), 1);
  EXPECT_EQ(value(call("Pow", integer(-1), integer(INT64_MAX))), -1);
  EXPECT_EQ(value(call("Pow", integer(0), integer(0))), 1);
}

TEST(Pt2SymExpr, KeepsFunctionsThatItDoesNotKnow) {
  const SymExpr expr = parse_sym_expr("Novel('text', Integer(1), key=Symbol('k'), other='o')");
  EXPECT_EQ(expr.head(), "Novel");
  EXPECT_EQ(expr.text(), "text");
  EXPECT_EQ(expr.arguments().size(), 1U);
}

TEST(Pt2SymExpr, RefusesOtherForms) {
  for (const char* const text :
       {"", " ", "Mul(", "Mul(Integer(2)", "Mul(Integer(2) Integer(3))", "Integer(2))", "1.5", "-", "Symbol()",
        "Symbol('s", "Symbol('s', Integer(1))", "a+b", "Mul(a=b=1)", "'text'"}) {
    expect_expression_refused(ErrorKind::kModel, "expression '", text);
  }
}

TEST(Pt2SymExpr, BoundsNesting) {
  std::string text = "Integer(1)";
  for (int i = 0; i < 190; ++i) text = "floor(" + text + ")";
  EXPECT_EQ(value(text), 1);
  for (int i = 0; i < 20; ++i) text = "floor(" + text + ")";
  expect_expression_refused(ErrorKind::kLimit, "nested too deeply", text);
  expect_expression_refused(ErrorKind::kLimit, "nested too deeply", std::string(100'000, '('));
}

}  // namespace
}  // namespace linnet::testing

#pragma once

#include <string>
#include <vector>

#include "linnet/fact.h"
#include "support/run_op.h"

namespace linnet::testing {

/// A shape rule with inputs of symbols. N, M, S, P and T are all that occur.
struct SymbolicRule {
  OpCase op;
  std::vector<Fact> inputs;
  int outputs = 1;
  bool opens = false;  ///< some dims cannot be told from the symbols
};

Dim symbol(const std::string& name);
Fact floats(const Dims& dims);
Fact float_constant(const std::vector<float>& values);
/// Int64 vectors and scalars of these elements.
Fact elements(const Dims& values);
Fact scalar(const Dim& value);

/// Expects that the dims that the rule gives are, with numbers in the place of the symbols, those that the rule gives
/// for these numbers, for many numbers of 0 or more; that they are so where symbols are assumed to be 2 or more, for
/// such numbers; and that what it learns holds for all numbers that it does not refuse.
void expect_rule_holds(const SymbolicRule& rule);

}  // namespace linnet::testing

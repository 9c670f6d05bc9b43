#pragma once

#include <string>
#include <vector>

#include "linnet/fact.h"
#include "support/run_op.h"

namespace linnet::testing {

/// A shape rule with symbolic inputs. The only symbols are N, M, S, P and T.
struct SymbolicRule {
  OpCase op;
  std::vector<Fact> inputs;
  int outputs = 1;
  bool opens = false;  ///< some dims cannot be determined from the symbols
};

Dim symbol(const std::string& name);
Fact floats(const Dims& dims);
Fact float_constant(const std::vector<float>& values);
/// Int64 vectors and scalars of these elements.
Fact elements(const Dims& values);
Fact scalar(const Dim& value);

/// Checks a rule with many numbers of 0 or more for the symbols. Expects that the rule's symbolic dims, evaluated at
/// these numbers, are equal to the dims that the rule returns for the numbers. Expects the same where symbols are
/// assumed to be 2 or more, for such numbers. Expects that what the rule learns holds for all numbers that it does not
/// refuse.
void expect_rule_holds(const SymbolicRule& rule);

}  // namespace linnet::testing

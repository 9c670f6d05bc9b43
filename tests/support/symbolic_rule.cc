#include "support/symbolic_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "linnet/registry.h"
#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

namespace linnet::testing {
namespace {

const std::vector<std::string> kSymbols{"N", "M", "S", "P", "T"};

/// A number for each symbol.
using Binding = std::vector<int64_t>;

std::string describe(const Binding& binding) {
  std::string text;
  for (size_t i = 0; i < binding.size(); ++i) text += str(i ? ", " : "", kSymbols[i], "=", binding[i]);
  return text;
}

struct Bound {
  Binding numbers;
  DimSubstitution dims;
};

DimSubstitution substitution(const Binding& binding) {
  DimSubstitution result;
  for (size_t i = 0; i < kSymbols.size(); ++i) result.add(symbol(kSymbols[i]), binding[i]);
  return result;
}

/// Returns bindings with equal numbers for all symbols, and with random small numbers.
std::vector<Bound> make_bindings(int64_t least) {
  constexpr int64_t kMost = 8;
  constexpr int kRandom = 60;
  std::vector<Binding> bindings;
  for (int64_t number = least; number <= kMost; ++number) bindings.emplace_back(kSymbols.size(), number);
  bindings.emplace_back(kSymbols.size(), 53);
  std::mt19937 random(7);
  for (int i = 0; i < kRandom; ++i) {
    Binding binding;
    for (size_t k = 0; k < kSymbols.size(); ++k)
      binding.push_back(least + int64_t(random() % uint64_t(kMost + 1 - least)));
    bindings.push_back(binding);
  }
  std::vector<Bound> result;
  for (const Binding& binding : bindings) result.push_back({binding, substitution(binding)});
  return result;
}

template <class F>
Fact mapped(Fact fact, const F& map) {
  if (!fact.present() || fact.constant) return fact;
  if (fact.dims) {
    for (Dim& dim : *fact.dims) dim = map(dim);
  }
  if (!fact.contents) return fact;
  auto contents = std::make_shared<Dims>(*fact.contents);
  for (Dim& dim : *contents) dim = map(dim);
  fact.contents = contents;
  if (!std::ranges::all_of(*contents, [](const Dim& dim) { return dim.known(); })) return fact;
  std::vector<int64_t> values;
  for (const Dim& dim : *contents) values.push_back(dim.value());
  return Fact(Tensor::of<int64_t>(fact.shape(), values));
}

std::shared_ptr<const Op> op_of(const SymbolicRule& rule) {
  NodeSpec spec;
  spec.op_type = rule.op.op_type;
  spec.domain = rule.op.domain;
  spec.opset = rule.op.opset;
  spec.attributes = rule.op.attributes;
  spec.num_inputs = int(rule.inputs.size());
  spec.num_outputs = rule.outputs;
  return standard_registry().create(spec);
}

std::vector<Fact> inferred(const Op& op, const SymbolicRule& rule, const DimSubstitution& map) {
  std::vector<Fact> inputs;
  for (const Fact& input : rule.inputs) inputs.push_back(mapped(input, map));
  return op.infer(inputs);
}

std::optional<std::vector<Fact>> inferred_or_refused(const Op& op, const SymbolicRule& rule,
                                                     const DimSubstitution& map) {
  try {
    return inferred(op, rule, map);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns a substitution that assumes symbols of 2 or more.
DimSubstitution assumption() {
  DimSubstitution result;
  for (const std::string& name : kSymbols) {
    const AtomPtr atom = Polynomial::of(symbol(name))->terms[0].factors[0].atom;
    result.add(symbol(name), bounded_symbol(*atom, {{0, INT64_MAX}, {2, INT64_MAX}}));
  }
  return result;
}

void expect_dims(const std::vector<Fact>& symbolic, const std::vector<Fact>& numbers, const DimSubstitution& bound) {
  ASSERT_EQ(symbolic.size(), numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!symbolic[i].dims) continue;
    ASSERT_EQ(symbolic[i].dims->size(), numbers[i].dims->size());
    for (int d = 0; d < numbers[i].rank(); ++d) {
      if (!symbolic[i].dim(d).determined()) continue;
      const Dim got = bound(symbolic[i].dim(d));
      EXPECT_TRUE(certainly_equal(got, numbers[i].dim(d)))
          << "dim " << d << " of output " << i << " is " << symbolic[i].dim(d) << " = " << got << ", for numbers "
          << numbers[i];
    }
  }
}

void expect_lessons(const std::vector<DimScope::Lesson>& lessons, const DimSubstitution& bound) {
  for (const DimScope::Lesson& lesson : lessons) {
    if (!lesson.a.determined() || !lesson.b.determined()) continue;
    const Dim a = bound(lesson.a), b = bound(lesson.b);
    EXPECT_TRUE(lesson.equal ? certainly_equal(a, b) : certainly_at_least(a, b))
        << "taught: " << lesson.a << (lesson.equal ? " = " : " >= ") << lesson.b;
  }
}

bool is_determined(const Fact& fact) {
  return fact.dims && std::ranges::all_of(*fact.dims, [](const Dim& dim) { return dim.determined(); });
}

/// Returns how many bindings the rule accepts.
int expect_holds(const SymbolicRule& rule, const DimSubstitution& symbols, bool assumes,
                 const std::vector<Bound>& bindings) {
  const std::shared_ptr<const Op> op = op_of(rule);
  Dims all;
  for (const std::string& name : kSymbols) all.push_back(symbol(name));
  DimScope scope(all);
  if (assumes) scope.begin_assuming();
  const std::vector<Fact> symbolic = inferred(*op, rule, symbols);
  const std::vector<DimScope::Lesson> lessons = scope.take_lessons();
  if (assumes && !rule.opens) {
    for (const Fact& fact : symbolic) EXPECT_TRUE(is_determined(fact)) << fact;
  }
  int accepted = 0;
  for (const Bound& bound : bindings) {
    const auto want = inferred_or_refused(*op, rule, bound.dims);
    if (!want) continue;
    SCOPED_TRACE(describe(bound.numbers));
    ++accepted;
    expect_dims(symbolic, *want, bound.dims);
    expect_lessons(lessons, bound.dims);
  }
  return accepted;
}

}  // namespace

Dim symbol(const std::string& name) { return Dim(name); }
Fact floats(const Dims& dims) { return Fact(DType::kFloat32, dims); }
Fact float_constant(const std::vector<float>& values) { return Fact(Tensor::of(values)); }

Fact elements(const Dims& values) {
  Fact fact(DType::kInt64, Dims{int64_t(values.size())});
  fact.contents = std::make_shared<Dims>(values);
  return mapped(fact, [](const Dim& dim) { return dim; });
}

Fact scalar(const Dim& value) {
  Fact fact(DType::kInt64, Dims{});
  fact.contents = std::make_shared<Dims>(Dims{value});
  return mapped(fact, [](const Dim& dim) { return dim; });
}

void expect_rule_holds(const SymbolicRule& rule) {
  std::string inputs;
  for (const Fact& input : rule.inputs) inputs += str(" ", input);
  SCOPED_TRACE(rule.op.op_type + inputs);
  static const std::vector<Bound> all = make_bindings(0), large = make_bindings(2);
  static const DimSubstitution assumed = assumption();
  EXPECT_GT(expect_holds(rule, DimSubstitution(), false, all), 0) << "all numbers are refused";
  expect_holds(rule, assumed, true, large);
}

}  // namespace linnet::testing

// linnet-unchecked-product: finds products of 64-bit integers that a function returns, that a constructor stores, or
// that are the size of a tensor or of memory. They may overflow, and memory that is too small is then written past its
// end. samples/products.cc shows which products are found. Offsets into allocated memory are excluded: they have the
// type std::ptrdiff_t or are added to a pointer directly.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Lex/Lexer.h>

namespace linnet {
namespace {

using namespace clang::ast_matchers;

auto size() { return qualType(hasCanonicalType(anyOf(asString("long"), asString("unsigned long")))); }

auto literal() { return ignoringImpCasts(integerLiteral()); }

// An offset into allocated memory is no larger than its size, which was checked.
auto is_offset() {
  return hasAncestor(expr(anyOf(arraySubscriptExpr(), cxxOperatorCallExpr(hasOverloadedOperatorName("[]")),
                                binaryOperator(hasAnyOperatorName("+", "-", "+=", "-="), hasType(pointerType())))));
}

auto rounds_down() {
  return allOf(hasLHS(ignoringParenImpCasts(binaryOperator(hasOperatorName("/")))), hasRHS(literal()));
}

auto product() {
  return binaryOperator(hasAnyOperatorName("*", "*="), hasType(size()), unless(isExpansionInSystemHeader()),
                        unless(hasParent(binaryOperator(hasOperatorName("*")))), unless(is_offset()),
                        unless(rounds_down()), unless(allOf(hasLHS(literal()), hasRHS(literal()))),
                        unless(hasAncestor(varDecl(isConstexpr()))))
      .bind("product");
}

// Matches what a function returns, alone or in a record, or a constructor stores.
auto is_kept() {
  const auto offset = qualType(anyOf(asString("std::ptrdiff_t"), asString("ptrdiff_t")));
  const auto returns_size =
      functionDecl(returns(qualType(anyOf(size(), hasCanonicalType(recordType())))), unless(returns(offset)));
  return forFunction(anyOf(cxxConstructorDecl(), returns_size));
}

auto sized_class() {
  return cxxConstructExpr(
      hasDeclaration(cxxConstructorDecl(ofClass(hasAnyName("::linnet::Shape", "::linnet::Tensor", "::std::vector")))));
}

auto sized_call() {
  return callExpr(callee(
      functionDecl(hasAnyName("dtype_bytes", "resize", "reserve", "assign", "allocate_output", "packed_memory"))));
}

auto is_argument() {
  return hasAncestor(expr(anyOf(sized_class(), sized_call(), cxxFunctionalCastExpr(hasDestinationType(size())),
                                cxxStaticCastExpr(hasDestinationType(size())))));
}

class UncheckedProduct : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder* finder) override {
    const auto named = declRefExpr(to(varDecl(hasInitializer(anyOf(product(), hasDescendant(product()))))));
    finder->addMatcher(expr(product(), anyOf(is_kept(), is_argument())), this);
    finder->addMatcher(expr(anyOf(sized_class(), sized_call()), hasDescendant(named)), this);
  }

  void check(const MatchFinder::MatchResult& match) override {
    const auto* found = match.Nodes.getNodeAs<clang::BinaryOperator>("product");
    const auto range = clang::CharSourceRange::getTokenRange(found->getSourceRange());
    diag(found->getBeginLoc(), "'%0' may overflow: use checked_mul, or std::ptrdiff_t for an offset")
        << clang::Lexer::getSourceText(range, *match.SourceManager, getLangOpts());
  }
};

class Module : public clang::tidy::ClangTidyModule {
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<UncheckedProduct>("linnet-unchecked-product");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> kAdded("linnet", "");

}  // namespace
}  // namespace linnet

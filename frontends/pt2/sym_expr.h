#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::pt2 {

/// A size, or another number or condition, of symbols: a tree of SymPy. A copy shares its parts.
class SymExpr {
 public:
  SymExpr() = default;
  SymExpr(int64_t integer) : integer_(integer) {}  // NOLINT(google-explicit-constructor)
  static SymExpr symbol(std::string name);
  /// `text`: what a call holds that is no expression, as '1.5' in Float('1.5', precision=53).
  static SymExpr call(std::string head, std::vector<SymExpr> arguments, std::string text = {});

  bool is_integer() const { return !term_; }
  bool is_symbol() const { return term_ && term_->head.empty(); }
  bool is_call() const { return term_ && !term_->head.empty(); }

  int64_t integer() const { return integer_; }                             ///< of an integer
  const std::string& name() const { return term_->text; }                  ///< of a symbol
  const std::string& head() const { return term_->head; }                  ///< of a call: "Mul", "FloorDiv"
  std::span<const SymExpr> arguments() const { return term_->arguments; }  ///< of a call
  const std::string& text() const { return term_->text; }                  ///< of a call

  /// The number that it is with these values of symbols; 1 and 0 for true and false. Nothing where a symbol has no
  /// value, a function is not known, the number is not whole, or a step overflows.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t>& symbols) const;
  /// For messages: "Mul(2, s77)".
  std::string describe() const;

  friend bool operator==(const SymExpr& a, const SymExpr& b);

 private:
  struct Term {
    std::string head, text;
    std::vector<SymExpr> arguments;
  };

  int64_t integer_ = 0;
  std::shared_ptr<const Term> term_;
};

/// Parses what sympy.srepr() writes: "Mul(Integer(2), Symbol('s77', positive=True, integer=True))". Functions of any
/// name are taken. Throws Error(kModel) for another form, Error(kLimit) where it is nested too deeply.
SymExpr parse_sym_expr(std::string_view text);

}  // namespace linnet::pt2

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

/// A size, another number, or a condition over symbols: a SymPy tree. Copies share their parts.
class SymExpr {
 public:
  SymExpr() = default;
  SymExpr(int64_t integer) : integer_(integer) {}  // NOLINT(google-explicit-constructor)
  static SymExpr symbol(std::string name);
  /// `text`: what a call contains that is not an expression, like '1.5' in Float('1.5', precision=53).
  static SymExpr call(std::string head, std::vector<SymExpr> arguments, std::string text = {});

  bool is_integer() const { return !term_; }
  bool is_symbol() const { return term_ && term_->head.empty(); }
  bool is_call() const { return term_ && !term_->head.empty(); }

  int64_t integer() const { return integer_; }                             ///< for an integer
  const std::string& name() const { return term_->text; }                  ///< for a symbol
  const std::string& head() const { return term_->head; }                  ///< for a call: "Mul", "FloorDiv"
  std::span<const SymExpr> arguments() const { return term_->arguments; }  ///< for a call
  const std::string& text() const { return term_->text; }                  ///< for a call

  /// Returns the value for these values of symbols; 1 and 0 represent true and false. Returns nothing if a symbol has
  /// no value, a function is unknown, the result is not whole, or a step overflows.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t>& symbols) const;
  /// Returns a text for messages: "Mul(2, s77)".
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

/// Parses the output of sympy.srepr(): "Mul(Integer(2), Symbol('s77', positive=True, integer=True))". Accepts functions
/// of any name. Throws Error(kModel) for another form, Error(kLimit) if it is nested too deeply.
SymExpr parse_sym_expr(std::string_view text);

}  // namespace linnet::pt2

#include "sym_expr.h"

#include <algorithm>
#include <utility>

#include "linnet/error.h"

namespace linnet::pt2 {

SymExpr SymExpr::symbol(std::string name) { return call({}, {}, std::move(name)); }

SymExpr SymExpr::call(std::string head, std::vector<SymExpr> arguments, std::string text) {
  SymExpr expr;
  expr.term_ = std::make_shared<const Term>(Term{std::move(head), std::move(text), std::move(arguments)});
  return expr;
}

std::string SymExpr::describe() const {
  if (is_integer()) return str(integer_);
  if (is_symbol()) return name();
  std::string text = str(head(), '(', this->text());
  for (const SymExpr& argument : arguments()) {
    if (!text.ends_with('(')) text += ", ";
    text += argument.describe();
  }
  return text + ')';
}

bool operator==(const SymExpr& a, const SymExpr& b) {
  if (a.term_ == b.term_) return a.integer_ == b.integer_;
  if (!a.term_ || !b.term_) return false;
  return a.term_->head == b.term_->head && a.term_->text == b.term_->text &&
         std::equal(a.term_->arguments.begin(), a.term_->arguments.end(), b.term_->arguments.begin(),
                    b.term_->arguments.end());
}

}  // namespace linnet::pt2

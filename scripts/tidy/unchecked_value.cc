// linnet-unchecked-value: finds products of int64_t with a factor that comes from a file or a caller: an attribute, or
// the contents of an integer tensor. These values are followed within a source file, through variables, fields,
// parameters and results. samples/values.cc shows which products are found. As in linnet-unchecked-product, offsets
// into allocated memory are excluded: they have the type std::ptrdiff_t or are added to a pointer directly. Their
// factors were compared with the size of that memory.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Lex/Lexer.h>

#include <set>

namespace linnet {
namespace {

using namespace clang;

bool is_number(QualType type) {
  return type->isIntegerType() && !type->isBooleanType() && !type->isAnyCharacterType() && !type->isEnumeralType();
}

/// Whether the type is an integer, a pointer to integers, or a collection of integers of the standard library.
bool carries(QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  while (type->isPointerType() || type->isArrayType()) {
    type = type->isPointerType() ? type->getPointeeType() : QualType(type->getArrayElementTypeNoTypeQual(), 0);
  }
  if (const auto* record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())) {
    if (!record->isInStdNamespace() || record->getTemplateArgs().size() == 0) return false;
    const TemplateArgument& argument = record->getTemplateArgs()[0];
    return argument.getKind() == TemplateArgument::Type && carries(argument.getAsType());
  }
  return is_number(type);
}

llvm::StringRef name_of(const NamedDecl* decl) {
  return decl && decl->getDeclName().isIdentifier() ? decl->getName() : llvm::StringRef();
}

bool is_in(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Flow : public RecursiveASTVisitor<Flow> {
 public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  /// Repeats the traversal until it finds nothing more.
  void follow(ASTContext& context) {
    do {
      grown_ = false;
      products_.clear();
      for (Decl* decl : context.getTraversalScope()) TraverseDecl(decl);
    } while (grown_);
  }
  const std::set<const BinaryOperator*>& products() const { return products_; }

  bool TraverseDecl(Decl* decl) {
    const auto* context = dyn_cast_or_null<DeclContext>(decl);
    if (context && context->isDependentContext()) return true;  // the instances of templates are visited instead
    const auto* function = dyn_cast_or_null<FunctionDecl>(decl);
    if (function) functions_.push_back(function);
    const bool result = RecursiveASTVisitor::TraverseDecl(decl);
    if (function) functions_.pop_back();
    return result;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) {
    functions_.push_back(lambda->getCallOperator());
    const bool result = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    functions_.pop_back();
    return result;
  }

  bool VisitVarDecl(VarDecl* variable) {
    if (variable->hasInit()) take(variable, variable->getInit());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) {
    take(loop->getLoopVariable(), loop->getRangeInit());
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl* constructor) {
    for (const CXXCtorInitializer* initializer : constructor->inits()) {
      if (initializer->isMemberInitializer()) take(initializer->getMember(), initializer->getInit());
    }
    return true;
  }
  bool VisitInitListExpr(InitListExpr* list) {
    if (!list->isSemanticForm()) list = list->getSemanticForm();
    const RecordDecl* record = list ? list->getType()->getAsRecordDecl() : nullptr;
    if (!record) return true;
    unsigned i = 0;
    if (const auto* own = dyn_cast<CXXRecordDecl>(record)) i = own->getNumBases();
    for (const FieldDecl* field : record->fields()) {
      if (i < list->getNumInits()) take(field, list->getInit(i));
      ++i;
    }
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* statement) {
    if (!functions_.empty() && statement->getRetValue() && carries(functions_.back()->getReturnType()) &&
        is_given(statement->getRetValue())) {
      grow(functions_.back());
    }
    return true;
  }
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* function = call->getDirectCallee();
    if (!function) return true;
    const unsigned skipped = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(function) ? 1 : 0;
    const llvm::ArrayRef<const Expr*> arguments(call->getArgs(), call->getNumArgs());
    if (name_of(function) == "make_unique" || name_of(function) == "make_shared") {
      give_to_constructors(function, arguments);
    } else {
      give(function, arguments.drop_front(skipped));
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) {
    give(construct->getConstructor(), {construct->getArgs(), construct->getNumArgs()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) {
    if (op->isAssignmentOp()) {
      const Expr* to = op->getLHS()->IgnoreParenCasts();
      if (const auto* name = dyn_cast<DeclRefExpr>(to)) take(name->getDecl(), op->getRHS());
      if (const auto* member = dyn_cast<MemberExpr>(to)) take(member->getMemberDecl(), op->getRHS());
    }
    if ((op->getOpcode() == BO_Mul || op->getOpcode() == BO_MulAssign) &&
        op->getType()->isSpecificBuiltinType(BuiltinType::Long) && may_overflow(op)) {
      products_.insert(op);
    }
    return true;
  }

 private:
  bool may_overflow(const BinaryOperator* op) const {
    const auto* quotient = dyn_cast<BinaryOperator>(op->getLHS()->IgnoreParenCasts());
    const bool rounds_down =
        quotient && quotient->getOpcode() == BO_Div && isa<IntegerLiteral>(op->getRHS()->IgnoreParenCasts());
    return !rounds_down && (is_given(op->getLHS()) || is_given(op->getRHS()));
  }

  void grow(const Decl* decl) { grown_ |= given_.insert(decl->getCanonicalDecl()).second; }
  void take(const ValueDecl* decl, const Expr* from) {
    if (from && carries(decl->getType()) && is_given(from)) grow(decl);
  }
  /// Function declarations have no canonical parameters: those of the definition are followed.
  void give(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments) {
    const FunctionDecl* body = function;
    if (!function->hasBody(body)) return;
    for (unsigned i = 0; i < arguments.size() && i < body->getNumParams(); ++i) {
      take(body->getParamDecl(i), arguments[i]);
    }
  }
  void give_to_constructors(const FunctionDecl* make, llvm::ArrayRef<const Expr*> arguments) {
    const TemplateArgumentList* types = make->getTemplateSpecializationArgs();
    if (!types || types->size() == 0 || types->get(0).getKind() != TemplateArgument::Type) return;
    const CXXRecordDecl* record = types->get(0).getAsType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition()) return;
    for (const CXXConstructorDecl* constructor : record->ctors()) give(constructor, arguments);
  }

  bool is_given(const Expr* expr) const {
    if (!expr) return false;
    expr = expr->IgnoreParenCasts();
    if (const auto* wrapped = dyn_cast<FullExpr>(expr)) return is_given(wrapped->getSubExpr());
    if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr)) return is_given(temporary->getSubExpr());
    if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(expr)) return is_given(bound->getSubExpr());
    if (const auto* name = dyn_cast<DeclRefExpr>(expr)) return given_.count(name->getDecl()->getCanonicalDecl());
    if (const auto* member = dyn_cast<MemberExpr>(expr)) {
      return given_.count(member->getMemberDecl()->getCanonicalDecl());
    }
    if (const auto* element = dyn_cast<ArraySubscriptExpr>(expr)) return is_given(element->getBase());
    if (const auto* op = dyn_cast<UnaryOperator>(expr)) return is_given(op->getSubExpr());
    if (const auto* op = dyn_cast<BinaryOperator>(expr)) return is_given(*op);
    if (const auto* choice = dyn_cast<AbstractConditionalOperator>(expr)) {
      return is_given(choice->getTrueExpr()) || is_given(choice->getFalseExpr());
    }
    if (const auto* list = dyn_cast<InitListExpr>(expr)) return any({list->getInits(), list->getNumInits()});
    if (const auto* construct = dyn_cast<CXXConstructExpr>(expr)) {
      return carries(construct->getType()) && any({construct->getArgs(), construct->getNumArgs()});
    }
    if (const auto* call = dyn_cast<CallExpr>(expr)) return is_given(*call);
    return false;
  }

  bool is_given(const BinaryOperator& op) const {
    if (op.isComparisonOp() || op.isLogicalOp()) return false;
    if (op.getOpcode() == BO_Div || op.getOpcode() == BO_Shr) return is_given(op.getLHS());
    if (op.isAssignmentOp() || op.getOpcode() == BO_Comma || op.getOpcode() == BO_Rem) return is_given(op.getRHS());
    return is_given(op.getLHS()) || is_given(op.getRHS());
  }

  bool any(llvm::ArrayRef<const Expr*> arguments) const {
    return std::any_of(arguments.begin(), arguments.end(), [&](const Expr* expr) { return is_given(expr); });
  }

  bool is_given(const CallExpr& call) const {
    const FunctionDecl* function = call.getDirectCallee();
    const llvm::ArrayRef<const Expr*> arguments(call.getArgs(), call.getNumArgs());
    if (!function || !carries(call.getType())) return false;
    if (isa<CXXOperatorCallExpr>(call)) return is_given(call.getArg(0));
    const llvm::StringRef name = name_of(function);
    if (is_source(*function)) return true;
    if (function->isInStdNamespace()) {
      if (is_in(name, {"max", "abs", "move", "forward"})) return any(arguments);
      if (name == "min") return std::all_of(arguments.begin(), arguments.end(), [&](auto* e) { return is_given(e); });
      const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
      return method && !is_in(name, {"size", "capacity"}) && is_given(method->getImplicitObjectArgument());
    }
    if (is_in(name, {"checked_mul", "checked_add"})) return any(arguments);
    return given_.count(function->getCanonicalDecl());
  }

  static bool is_source(const FunctionDecl& function) {
    const llvm::StringRef name = name_of(&function);
    if (is_in(name, {"tensor_ints", "constant_ints", "positive_attribute"})) return true;
    const auto* method = dyn_cast<CXXMethodDecl>(&function);
    const llvm::StringRef owner = method ? name_of(method->getParent()) : llvm::StringRef();
    return (owner == "NodeSpec" && is_in(name, {"attr", "attr_or", "find"})) ||
           (owner == "Tensor" && is_in(name, {"data", "values"}) && is_const(*method));
  }
  /// Whether the tensor is read. Outputs are not const.
  static bool is_const(const CXXMethodDecl& method) { return method.isConst(); }

  std::set<const Decl*> given_;  // canonical declarations
  std::set<const BinaryOperator*> products_;
  std::vector<const FunctionDecl*> functions_;
  bool grown_ = false;
};

bool is_pointer_step(const Expr& expr) {
  if (isa<ArraySubscriptExpr>(expr)) return true;
  if (const auto* call = dyn_cast<CXXOperatorCallExpr>(&expr)) return call->getOperator() == OO_Subscript;
  const auto* op = dyn_cast<BinaryOperator>(&expr);
  const bool adds = op && (op->isAdditiveOp() || op->getOpcode() == BO_AddAssign || op->getOpcode() == BO_SubAssign);
  return adds && op->getType()->isPointerType();
}

bool is_offset_type(QualType type) {
  const std::string name = type.getUnqualifiedType().getAsString();
  return name == "std::ptrdiff_t" || name == "ptrdiff_t";
}

/// Whether the product is an offset, or a factor of another product, which is checked instead.
bool is_left_out(ASTContext& context, const BinaryOperator& product) {
  auto parents = context.getParents(product);
  for (; !parents.empty() && parents[0].get<Expr>(); parents = context.getParents(parents[0])) {
    const Expr& expr = *parents[0].get<Expr>();
    const auto* op = dyn_cast<BinaryOperator>(&expr);
    if (is_pointer_step(expr) || (op && op->getOpcode() == BO_Mul)) return true;
    if (isa<CallExpr>(expr) && !isa<CXXOperatorCallExpr>(expr)) return false;
  }
  if (parents.empty()) return false;
  if (const auto* variable = parents[0].get<VarDecl>()) return is_offset_type(variable->getType());
  if (!parents[0].get<ReturnStmt>()) return false;
  while (!parents.empty() && !parents[0].get<FunctionDecl>()) parents = context.getParents(parents[0]);
  return !parents.empty() && is_offset_type(parents[0].get<FunctionDecl>()->getReturnType());
}

class UncheckedValue : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(ast_matchers::MatchFinder* finder) override {
    finder->addMatcher(ast_matchers::functionDecl().bind("any"), this);
  }
  void check(const ast_matchers::MatchFinder::MatchResult& match) override { context_ = match.Context; }

  void onEndOfTranslationUnit() override {
    if (!context_) return;
    Flow flow;
    flow.follow(*context_);
    for (const BinaryOperator* product : flow.products()) {
      if (is_left_out(*context_, *product)) continue;
      const auto range = CharSourceRange::getTokenRange(product->getSourceRange());
      diag(product->getBeginLoc(), "'%0' multiplies what a file or a caller gives: use checked_mul")
          << Lexer::getSourceText(range, context_->getSourceManager(), getLangOpts());
    }
    context_ = nullptr;
  }

 private:
  ASTContext* context_ = nullptr;
};

class ValueModule : public clang::tidy::ClangTidyModule {
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<UncheckedValue>("linnet-unchecked-value");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<ValueModule> kAdded("linnet-values", "");

}  // namespace
}  // namespace linnet

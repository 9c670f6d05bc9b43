// A plugin that restricts clang-tidy's checks to the project's own declarations in a file. With the tree of the
// standard library, most of which comes from a precompiled header, the checks take ten times as long.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace linnet {
namespace {

class OwnScope : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* decl : group) {
      if (!decl->getASTContext().getSourceManager().isInSystemHeader(decl->getLocation())) scope_.push_back(decl);
    }
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override { context.setTraversalScope(scope_); }

 private:
  std::vector<clang::Decl*> scope_;
};

class SetOwnScope : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<OwnScope>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<SetOwnScope> kAdded("linnet-own-scope", "");

}  // namespace
}  // namespace linnet

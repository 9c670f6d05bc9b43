#include "local_functions.h"

#include "environment/run_environment.h"
#include "linnet/error.h"

namespace linnet {

std::string Function::describe() const {
  return str(proto->domain(), "::", proto->name(), proto->overload().empty() ? "" : ":", proto->overload());
}

FunctionTable::FunctionTable(const pb::ModelProto& model, const OpsetImports& model_opsets,
                             const ModelOptions& options) {
  for (const pb::FunctionProto& proto : model.functions()) {
    check_current();
    Function function{&proto, {}};
    try {
      function.opsets = OpsetImports(proto.opset_import(), options);
    } catch (const Error& error) {
      throw error.with_context("function " + function.describe());
    }
    function.opsets.fall_back_to(model_opsets);
    const Key key{normalize_domain(proto.domain()), proto.name(), proto.overload()};
    if (!functions_.try_emplace(key, std::move(function)).second) {
      throw Error(ErrorKind::kModel, "function " + Function{&proto, {}}.describe() + " is defined twice");
    }
  }
}

const Function* FunctionTable::find(const pb::NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(Key{normalize_domain(node.domain()), node.op_type(), node.overload()});
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace linnet

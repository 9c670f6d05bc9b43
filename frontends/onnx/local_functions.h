#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "opset_imports.h"
#include "proto.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// A function of the model, with the imports that hold in its body.
struct Function {
  const pb::FunctionProto* proto = nullptr;
  OpsetImports opsets;

  /// "my.domain::gelu", with ":overload" where it has one.
  std::string describe() const;
};

/// The functions that a model defines, by domain, name and overload. The message and the model's imports must outlive
/// it.
class FunctionTable {
 public:
  /// Domains that a function does not import are taken from the model.
  /// Throws Error(kModel) for two functions with the same key.
  FunctionTable(const pb::ModelProto& model, const OpsetImports& model_opsets, const ModelOptions& options);

  /// The function that a node calls; nullptr when it is an operator.
  const Function* find(const pb::NodeProto& node) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // parts of the message
  std::map<Key, Function, std::less<>, CountedAllocator<std::pair<const Key, Function>>> functions_;
};

}  // namespace linnet

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

/// A function of the model, with the opsets that its body imports.
struct Function {
  const pb::FunctionProto* proto = nullptr;
  OpsetImports opsets;

  /// Returns "my.domain::gelu", followed by ":overload" if the function has one.
  std::string describe() const;
};

/// The functions that a model defines, by domain, name and overload. The message and the model's imports must outlive
/// the table.
class FunctionTable {
 public:
  /// A domain that a function does not import is looked up in the model's imports.
  /// Throws Error(kModel) for two functions with the same key.
  FunctionTable(const pb::ModelProto& model, const OpsetImports& model_opsets, const ModelOptions& options);

  /// Returns the function that a node calls, or nullptr if the node is an operator.
  const Function* find(const pb::NodeProto& node) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // parts of the message
  std::map<Key, Function, std::less<>, CountedAllocator<std::pair<const Key, Function>>> functions_;
};

}  // namespace linnet

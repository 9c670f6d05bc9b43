#include "scope.h"

namespace linnet {

void Scope::define(const std::string& name, ValueId value, NestedGraph& home) {
  if (name.empty()) throw Error(ErrorKind::kModel, "a value has no name");
  if (!values_.emplace(name, Known{&home, value}).second) {
    throw Error(ErrorKind::kModel, str("value '", name, "' is defined twice"));
  }
}

ValueId Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->values_.find(name);
    if (found != scope->values_.end()) return graph_.import(*found->second.home, found->second.value);
  }
  throw Error(ErrorKind::kModel, str("value '", name, "' is not defined by any node, input or initializer"));
}

std::optional<ScopedAttribute> Scope::resolve(const pb::AttributeProto& attribute) const {
  if (attribute.ref_attr_name().empty()) return ScopedAttribute{&attribute, this};
  const Scope* scope = this;
  while (scope->around_) scope = scope->around_;
  if (!scope->is_function_) {
    throw Error(ErrorKind::kModel, str("attribute '", attribute.name(), "' refers to '", attribute.ref_attr_name(),
                                       "' of a function, but is outside of any"));
  }
  const auto found = scope->attributes_.find(attribute.ref_attr_name());
  if (found == scope->attributes_.end()) return std::nullopt;
  return found->second;
}

std::string Scope::shown_name(const std::string& name) const {
  const auto found = shown_.find(name);
  return found == shown_.end() ? prefix_ + name : found->second;
}

}  // namespace linnet

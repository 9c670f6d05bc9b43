#include "expansion/expansion.h"

namespace linnet {

Expansion::Expansion(std::shared_ptr<const Registry> registry, const std::string& name, std::span<const Fact> inputs,
                     bool own_constants)
    : GraphWriter(std::move(registry), name), facts_(inputs) {
  for (const Fact& fact : inputs) {
    const bool is_constant = own_constants && fact.constant;
    in_.push_back(!fact.present() ? kNoValue : is_constant ? constant(fact.constant) : input(fact));
  }
}

ValueId Expansion::unknown(DType dtype) {
  wait();
  return input(Fact(dtype, std::nullopt));
}

}  // namespace linnet

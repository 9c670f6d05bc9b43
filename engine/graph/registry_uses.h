#pragma once

#include <compare>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "linnet/registry.h"

namespace linnet {

/// What models took from a registry since watch(): the operators that were created, including those that rewrites later
/// replaced, and the rewrites that changed a graph. Thread-safe.
class LINNET_API Registry::Uses {
 public:
  struct Operator {
    std::string unit;  ///< the name in LINNET_REGISTER of the source that registers it; empty for libraries
    std::string domain, op_type;
    int64_t since = 1;
    auto operator<=>(const Operator&) const = default;
  };

  /// Watches a registry, the copies made of it from now on, and every standard_registry() that is made while the result
  /// exists, because operators that are expansions have separate registries.
  static std::shared_ptr<Uses> watch(Registry& registry);
  /// What watch() returned last; nullptr if it no longer exists.
  static std::shared_ptr<Uses> current();
  /// The object that watches a registry; nullptr if it is not watched.
  static Uses* of(const Registry& registry) { return registry.uses_.get(); }

  void add(const Operator& op);
  void add_rewrite(const std::string& name);

  std::set<Operator> operators() const;
  std::set<std::string> rewrites() const;

 private:
  mutable std::mutex mutex_;
  std::set<Operator> operators_;
  std::set<std::string> rewrites_;
};

}  // namespace linnet

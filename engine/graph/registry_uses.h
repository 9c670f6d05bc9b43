#pragma once

#include <compare>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "linnet/registry.h"

namespace linnet {

/// What models took from a registry since watch(): the operators that were created, those that rewrites replaced later
/// among them, and the rewrites that changed a graph. Any thread may call any member.
class LINNET_API Registry::Uses {
 public:
  struct Operator {
    std::string unit;  ///< the name in LINNET_REGISTER of the source that registers it; empty for those of libraries
    std::string domain, op_type;
    int64_t since = 1;
    auto operator<=>(const Operator&) const = default;
  };

  /// Watches a registry, the copies made of it from now on, and every standard_registry() that is made while somebody
  /// holds the result: operators that are expansions have registries of their own.
  static std::shared_ptr<Uses> watch(Registry& registry);
  /// What watch() returned last; nullptr where nobody holds it.
  static std::shared_ptr<Uses> current();
  /// Who watches a registry; nullptr: nobody.
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

#include "graph/registry_uses.h"

namespace linnet {

namespace {

std::mutex watching_mutex;
std::weak_ptr<Registry::Uses> watching;

}  // namespace

std::shared_ptr<Registry::Uses> Registry::Uses::watch(Registry& registry) {
  registry.uses_ = std::make_shared<Registry::Uses>();
  const std::lock_guard lock(watching_mutex);
  watching = registry.uses_;
  return registry.uses_;
}

std::shared_ptr<Registry::Uses> Registry::Uses::current() {
  const std::lock_guard lock(watching_mutex);
  return watching.lock();
}

void Registry::Uses::add(const Operator& op) {
  const std::lock_guard lock(mutex_);
  operators_.insert(op);
}

void Registry::Uses::add_rewrite(const std::string& name) {
  const std::lock_guard lock(mutex_);
  rewrites_.insert(name);
}

std::set<Registry::Uses::Operator> Registry::Uses::operators() const {
  const std::lock_guard lock(mutex_);
  return operators_;
}

std::set<std::string> Registry::Uses::rewrites() const {
  const std::lock_guard lock(mutex_);
  return rewrites_;
}

}  // namespace linnet

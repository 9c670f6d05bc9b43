#include "linnet/registry.h"

#include <dlfcn.h>

#include <algorithm>

#include "graph/registry_uses.h"
#include "graph/rewrite.h"

namespace linnet {
namespace {

std::string domain_name(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

void check_version(void* library, const std::string& path) {
  const auto* const version = static_cast<const int*>(dlsym(library, "linnet_operator_version"));
  if (!version)
    throw Error(ErrorKind::kIo, "'" + path + "' is not an operator library: it does not use LINNET_OPERATOR_LIBRARY");
  if (*version != LINNET_OPERATOR_VERSION) {
    throw Error(ErrorKind::kUnsupported, str("'", path, "' was built with headers of operator version ", *version,
                                             ", Linnet has ", LINNET_OPERATOR_VERSION, ": build it again"));
  }
}

// "ai.onnx" is an alternative name of the default domain.
std::string canonical(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace

void Registry::add(const std::string& op_type, const OpVersion& version, Factory factory) {
  standard_ = false;
  operators_[{canonical(version.domain), op_type}][version.since] = {std::move(factory), version, unit_};
}

std::shared_ptr<const Op> Registry::create(const NodeSpec& node) const {
  const Registration& found = registration(node);
  if (uses_) uses_->add({found.unit, canonical(node.domain), node.op_type, found.version.since});
  return found.factory(node);
}

int Registry::own_inputs(const NodeSpec& node) const { return registration(node).version.own_inputs; }

bool Registry::declared_shapes(const NodeSpec& node) const {
  const auto found = operators_.find({canonical(node.domain), node.op_type});
  if (found == operators_.end()) return false;
  const auto newer = found->second.upper_bound(node.opset);
  return newer != found->second.begin() && std::prev(newer)->second.version.declared_shapes;
}

const Registry::Registration& Registry::registration(const NodeSpec& node) const {
  const auto found = operators_.find({canonical(node.domain), node.op_type});
  if (found == operators_.end()) {
    throw Error(ErrorKind::kUnsupported,
                str("no operator '", node.op_type, "' in domain '", domain_name(node.domain), "'", left_out_));
  }
  const auto newer = found->second.upper_bound(node.opset);
  if (newer == found->second.begin()) {
    throw Error(ErrorKind::kUnsupported,
                str("starts at opset ", newer->first, ", but the node is of opset ", node.opset));
  }
  return std::prev(newer)->second;
}

bool Registry::contains(const std::string& domain, const std::string& op_type, int64_t opset) const {
  const auto found = operators_.find({canonical(domain), op_type});
  return found != operators_.end() && found->second.begin()->first <= opset;
}

std::vector<Registry::Entry> Registry::entries() const {
  std::vector<Entry> entries;
  for (const auto& [key, versions] : operators_) {
    Entry entry{key.first, key.second, {}};
    for (const auto& [since, registration] : versions) entry.since.push_back(since);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<std::string> Registry::rewrite_names() const {
  std::vector<std::string> names;
  for (const Rewrite& rewrite : Rewrites::of(*this).list) names.push_back(rewrite.name);
  return names;
}

const Registry::Rewrites& Registry::Rewrites::of(const Registry& registry) {
  static const Rewrites none;
  return registry.rewrites_ ? *registry.rewrites_ : none;
}

void Registry::Rewrites::set(Registry& registry, Rewrites rewrites) {
  rewrites.index = RewriteIndex(rewrites.list);
  registry.rewrites_ = std::make_shared<const Rewrites>(std::move(rewrites));
}

void Registry::load_library(const std::string& path) {
  std::shared_ptr<void> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle) dlclose(handle);
  });
  if (!library) throw Error(ErrorKind::kIo, str("cannot load operator library: ", dlerror()));
  check_version(library.get(), path);
  using Register = void (*)(Registry&);
  const auto function = reinterpret_cast<Register>(dlsym(library.get(), "linnet_register"));
  if (!function) throw Error(ErrorKind::kIo, "'" + path + "' has no function linnet_register(linnet::Registry&)");
  libraries_.push_back(std::move(library));
  function(*this);
}

}  // namespace linnet

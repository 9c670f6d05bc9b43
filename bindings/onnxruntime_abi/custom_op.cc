#include "custom_op.h"

#include <dlfcn.h>

#include <map>
#include <set>

#include "client_op.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

constexpr const char* kRegister = "RegisterCustomOps";

/// Returns a library that stays loaded as long as a copy of the pointer exists.
std::shared_ptr<void> open_library(const char* path) {
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Failure(kFail, str("Failed to load library ", path, " with error: ", ::dlerror()));
  return {library, [](void* opened) { ::dlclose(opened); }};
}

RegisterCustomOps symbol_of(void* library, const char* name) {
  ::dlerror();
  void* symbol = ::dlsym(library, name);
  const char* error = ::dlerror();
  if (!symbol) throw Failure(kFail, str("Failed to get symbol ", name, " with error: ", error ? error : "it is NULL"));
  return reinterpret_cast<RegisterCustomOps>(symbol);
}

/// Throws Failure if two domains have the same name.
void check_domains(const std::vector<const CustomOpDomain*>& domains) {
  std::set<std::string> names;
  for (const CustomOpDomain* domain : domains) {
    if (!names.insert(domain->name).second) {
      throw Failure(kFail, str("the domain already has been added: '", domain->name, "'"));
    }
  }
}

std::unique_ptr<linnet::Op> make_op(const std::shared_ptr<const ClientOps>& ops, const NodeSpec& node) {
  const ClientFunctions& first = ops->candidates.front();
  if (!first.provider().empty() && first.provider() != "CPUExecutionProvider") {
    throw Error(ErrorKind::kUnsupported, str("the operator runs on ", first.provider(), " only"));
  }
  return std::make_unique<ClientOp>(ops, node);
}

}  // namespace

void add_client_ops(const SessionOptions& options, const Logger& logger, Registry& registry) {
  check_domains(options.domains);
  const auto shared_logger = std::make_shared<const Logger>(logger);
  std::map<std::pair<std::string, std::string>, std::shared_ptr<ClientOps>> by_name;
  for (const CustomOpDomain* domain : options.domains) {
    for (const CustomOp* op : domain->ops) {
      ClientFunctions functions(*op);
      auto& ops = by_name[{domain->name, functions.name()}];
      if (!ops) ops = std::make_shared<ClientOps>(ClientOps{options.libraries, {}, options.entries, shared_logger});
      ops->candidates.push_back(std::move(functions));
    }
  }
  for (const auto& [key, ops] : by_name) {
    const OpVersion version{.since = ops->candidates.front().start_version(), .domain = key.first};
    registry.add(key.second, version, [shared = ops](const NodeSpec& node) { return make_op(shared, node); });
  }
}

void load_custom_ops(const char* path, Registry& registry) {
  SessionOptions options;
  try {
    throw_status(RegisterCustomOpsLibrary_V2(&options, path));
    add_client_ops(options, Logger{}, registry);
  } catch (const Failure& failure) {
    throw Error(ErrorKind::kIo, failure.what());
  }
}

Status* CreateCustomOpDomain(const char* name, CustomOpDomain** created) noexcept {
  return create(created, [&] { return new CustomOpDomain{text(name, "domain"), {}}; });
}

Status* CustomOpDomain_Add(CustomOpDomain* domain, const CustomOp* op) noexcept {
  return guarded([&] { valid(domain, "custom_op_domain").ops.push_back(&valid(op, "op")); });
}

Status* AddCustomOpDomain(SessionOptions* options, CustomOpDomain* domain) noexcept {
  return guarded([&] { valid(options, "options").domains.push_back(&valid(domain, "custom_op_domain")); });
}

void ReleaseCustomOpDomain(CustomOpDomain* domain) noexcept { delete domain; }

Status* RegisterCustomOpsLibrary(SessionOptions* options, const char* path, void** handle) noexcept {
  return guarded([&] {
    void*& opened = valid(handle, "library_handle");
    opened = nullptr;
    const std::shared_ptr<void> library = open_library(copied_text(path));
    valid(options, "options");
    throw_status(symbol_of(library.get(), kRegister)(options, base()));
    opened = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);  // the caller's reference, which it closes
    options->libraries.push_back(library);
  });
}

Status* RegisterCustomOpsLibrary_V2(SessionOptions* options, const char* path) noexcept {
  return guarded([&] {
    const std::shared_ptr<void> library = open_library(copied_text(path));
    valid(options, "options");
    throw_status(symbol_of(library.get(), kRegister)(options, base()));
    options->libraries.push_back(library);
  });
}

Status* RegisterCustomOpsUsingFunction(SessionOptions* options, const char* name) noexcept {
  return guarded([&] {
    require(name && *name, "RegisterCustomOpsUsingFunction: Registration function name must be specified.");
    const RegisterCustomOps register_ops = symbol_of(RTLD_DEFAULT, name);
    valid(options, "options");
    throw_status(register_ops(options, base()));
  });
}

Status* EnableOrtCustomOps(SessionOptions* options) noexcept {
  if (!options) return nullptr;
  return make_status(kFail,
                     "EnableOrtCustomOps: Custom operators in onnxruntime-extensions are not enabled; register "
                     "its library instead");
}

}  // namespace linnet::ort

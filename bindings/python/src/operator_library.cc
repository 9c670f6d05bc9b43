#include "operator_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>

namespace linnet::python {
namespace {

using Library = std::unique_ptr<void, int (*)(void*)>;

Library open(const std::string& path) { return {::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), ::dlclose}; }

bool is_for_onnxruntime(const std::string& path) {
  const Library library = open(path);
  return library && !::dlsym(library.get(), "linnet_register") && ::dlsym(library.get(), "RegisterCustomOps");
}

/// Returns the folder of this module.
std::filesystem::path own_folder() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&add_operator_library), &info);
  return std::filesystem::path(info.dli_fname ? info.dli_fname : "").parent_path();
}

/// Returns the function of Linnet's libonnxruntime.so.1, defined in custom_op.cc, that adds such operators to a
/// registry. The library stays loaded.
auto loader() {
  struct Table;
  struct Base {
    const Table* (*get_api)(uint32_t version) noexcept;
  };
  using Find = const void* (*)(const char* name) noexcept;
  using Load = void (*)(const char* path, Registry& registry);
  constexpr uint32_t kVersion = 28;
  constexpr size_t kFindFunction = 422;
  // Never closed: libraries of operators still call it when the process ends.
  static void* const library = ::dlopen((own_folder() / "onnxruntime/capi/libonnxruntime.so.1").c_str(), RTLD_NOW);
  const auto base = library ? reinterpret_cast<const Base* (*)()>(::dlsym(library, "OrtGetApiBase")) : nullptr;
  if (!base) {
    throw Error(ErrorKind::kUnsupported,
                "it was written for ONNX Runtime, whose interface this package lacks: it was "
                "built with LINNET_BUILD_ONNXRUNTIME=OFF");
  }
  const auto* slots = reinterpret_cast<const Find*>(base()->get_api(kVersion));
  return reinterpret_cast<Load>(const_cast<void*>(slots[kFindFunction]("LinnetLoadCustomOps")));
}

}  // namespace

void add_operator_library(Registry& registry, const std::string& path) {
  if (!is_for_onnxruntime(path)) return registry.load_library(path);
  try {
    loader()(path.c_str(), registry);
  } catch (const Error& error) {
    throw error.with_context(path);
  }
}

}  // namespace linnet::python

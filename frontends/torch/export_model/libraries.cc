#include "libraries.h"

#include <dlfcn.h>

#include <filesystem>

#include "options.h"

namespace linnet::exporter {
namespace {

void* open_library(const std::string& path) {
  // dlopen searches the system's folders for a name without a slash, so the path is made absolute.
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw Failure(ExitCode::kLoad, path + ": " + dlerror());
  return library;
}

}  // namespace

void load_operators(const std::string& path) { open_library(path); }

void load_lowerings(const std::string& path, Lowerings& lowerings) {
  using Register = void (*)(Lowerings&);
  const auto add = reinterpret_cast<Register>(dlsym(open_library(path), "linnet_register_lowerings"));
  if (add == nullptr) {
    throw Failure(ExitCode::kLoad, path + ": it has no extern \"C\" void linnet_register_lowerings(Lowerings&)");
  }
  add(lowerings);
}

}  // namespace linnet::exporter

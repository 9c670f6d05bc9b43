#include "handle.h"

#include <mutex>
#include <typeindex>
#include <unordered_map>

namespace linnet::c_api {
namespace {

struct Handles {
  std::mutex mutex;
  std::unordered_map<const void*, std::type_index> kinds;
};

/// The table of handles. It is never destroyed, because handles may be freed while the process exits.
Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

}  // namespace

void add_handle(void* handle, const std::type_info& kind) {
  const std::lock_guard lock(handles().mutex);
  handles().kinds.emplace(handle, kind);
}

void remove_handle(const void* handle) noexcept {
  const std::lock_guard lock(handles().mutex);
  handles().kinds.erase(handle);
}

bool is_handle(const void* handle, const std::type_info& kind) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().kinds.find(handle);
  return found != handles().kinds.end() && found->second == kind;
}

}  // namespace linnet::c_api

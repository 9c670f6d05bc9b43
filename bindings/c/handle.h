#pragma once

#include <typeinfo>

#include "status.h"

namespace linnet::c_api {

#ifdef NDEBUG
inline constexpr bool kHandlesChecked = false;
#else
inline constexpr bool kHandlesChecked = true;
#endif

/// The set of existing handles, for builds that check them.
void add_handle(void* handle, const std::type_info& kind);  // not const: GCC would take that for a read
void remove_handle(const void* handle) noexcept;
bool is_handle(const void* handle, const std::type_info& kind);

/// The base of a handle of type T.
template <class T>
class Handle {
 public:
  Handle() {
    if constexpr (kHandlesChecked) add_handle(static_cast<T*>(this), typeid(T));
  }
  ~Handle() {
    if constexpr (kHandlesChecked) remove_handle(static_cast<T*>(this));
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

/// The object that the caller's handle points to. Throws ArgumentError, which begins with `name`, if the handle is NULL
/// or invalid.
template <class T>
T& valid(T* handle, const char* name) {
  if (!handle) throw ArgumentError(str(name, " is NULL"));
  if constexpr (kHandlesChecked) {
    if (!is_handle(handle, typeid(T))) throw ArgumentError(str(name, " is not a handle of its kind, or was freed"));
  }
  return *handle;
}

/// The variable that receives a result. Throws ArgumentError, which begins with `name`, for NULL.
template <class T>
T& result(T* pointer, const char* name) {
  if (!pointer) throw ArgumentError(str(name, " is NULL"));
  return *pointer;
}

/// Sets *handle to what make() returns, or to nullptr if it throws.
template <class T, class Make>
linnet_status create_handle(T** handle, const char* name, Make&& make) {
  return guarded([&] {
    T*& created = result(handle, name);
    created = nullptr;
    created = make();
  });
}

template <class T>
linnet_status free_handle(T* handle, const char* name) {
  return guarded([&] {
    if (handle) delete &valid(handle, name);
  });
}

}  // namespace linnet::c_api

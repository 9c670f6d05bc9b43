#pragma once

#include <linnet/registry.h>

// What the operators of this library share.

void add_my_add(linnet::Registry& registry);
void add_deform_conv2d(linnet::Registry& registry);

/// A Kernel<T> for the one type T of the list whose dtype it is. Throws Error(kType) for any other dtype.
template <template <class> class Kernel, class... T, class... Arguments>
linnet::KernelPtr make_kernel(linnet::DType dtype, const Arguments&... arguments) {
  linnet::KernelPtr kernel;
  ((dtype == linnet::dtype_of<T> && (kernel = std::make_unique<Kernel<T>>(arguments...))) || ...);
  if (!kernel)
    throw linnet::Error(linnet::ErrorKind::kType, linnet::str("does not compute ", linnet::dtype_name(dtype)));
  return kernel;
}

/// The dims that two shapes broadcast to (NumPy's rules), as far as they are known. Throws Error(kShape).
std::optional<linnet::Dims> broadcast(const std::optional<linnet::Dims>& a, const std::optional<linnet::Dims>& b);

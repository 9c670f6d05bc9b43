#pragma once

#include <linnet/registry.h>

// Functions that the operators of this library share.

void add_my_add(linnet::Registry& registry);
void add_deform_conv2d(linnet::Registry& registry);

/// Returns a Kernel<T> for the type T in the list that has this dtype. Throws Error(kType) for any other dtype.
template <template <class> class Kernel, class... T, class... Arguments>
linnet::KernelPtr make_kernel(linnet::DType dtype, const Arguments&... arguments) {
  linnet::KernelPtr kernel;
  ((dtype == linnet::dtype_of<T> && (kernel = std::make_unique<Kernel<T>>(arguments...))) || ...);
  if (!kernel)
    throw linnet::Error(linnet::ErrorKind::kType, linnet::str("does not compute ", linnet::dtype_name(dtype)));
  return kernel;
}

/// Returns the dims to which two shapes broadcast (NumPy's rules), as far as they are known. Throws Error(kShape).
std::optional<linnet::Dims> broadcast(const std::optional<linnet::Dims>& a, const std::optional<linnet::Dims>& b);

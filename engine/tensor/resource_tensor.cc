#include "tensor/resource_tensor.h"

#include <algorithm>

#include "tensor/alignment.h"
#include "tensor/memory_account.h"

namespace linnet {

Tensor allocate_from(std::pmr::memory_resource* memory, DType dtype, const Shape& shape) {
  if (!memory || is_object(dtype)) return {dtype, shape};
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  const CountedBytes counted(bytes);
  try {
    void* data = memory->allocate(bytes, kAlignment);
    const auto free = [memory, bytes, counted](void* p) {
      memory->deallocate(p, bytes, kAlignment);
      counted.give_back();
    };
    return Tensor::share(dtype, shape, data, std::shared_ptr<const void>(data, free));
  } catch (const std::bad_alloc&) {
    counted.give_back();
    throw Error(ErrorKind::kLimit, str("the memory resource has no ", bytes, " bytes"));
  }
}

}  // namespace linnet

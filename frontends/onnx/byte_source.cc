#include "byte_source.h"

#include <algorithm>
#include <cstring>

#include "linnet/error.h"

namespace linnet {

size_t MemorySource::read_some(std::byte* to, size_t wanted, int64_t offset) const {
  const size_t count = std::min(wanted, bytes_.size() - std::min(size_t(offset), bytes_.size()));
  if (count > 0) std::memcpy(to, bytes_.data() + offset, count);
  return count;
}

void MemorySource::read(std::span<std::byte> to, int64_t offset) const {
  if (read_some(to.data(), to.size(), offset) == to.size()) return;
  throw Error(ErrorKind::kIo,
              str("the model ends at byte ", size(), ", expected ", to.size(), " bytes from byte ", offset));
}

}  // namespace linnet

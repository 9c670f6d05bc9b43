#include "linnet/onnx_value.h"
#include "memory_file.h"
#include "target.h"

// Bytes are read as a tensor, sequence, optional or map, as in the .pb files of ONNX test cases. The first byte selects
// the kind.
namespace linnet {

void take(std::span<const uint8_t> bytes) {
  static const Fact element(DType::kFloat32, Shape{});
  static const std::vector<Fact> types{Fact(), Fact::sequence(element), Fact::optional(element),
                                       Fact::map(DType::kInt64, DType::kFloat32),
                                       Fact::map(DType::kString, DType::kFloat32)};
  if (bytes.empty()) return;
  load_value_proto(MemoryFile(bytes.subspan(1)).path(), types[bytes[0] % types.size()]);
}

}  // namespace linnet

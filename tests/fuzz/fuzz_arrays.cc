#include "memory_file.h"
#include "target.h"
#include "values/npy.h"
#include "values/npz.h"

// Bytes are read as the array of a .npy file or the arrays of a .npz file, and written again.
namespace linnet {

void take(std::span<const uint8_t> bytes) {
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] == 'K') {
    tool::load_npz(MemoryFile(bytes).path());
  } else {
    tool::to_npy(tool::parse_npy(std::as_bytes(bytes)));
  }
}

}  // namespace linnet

#include "conv/window_numbers.h"

#include "infer/infer.h"

namespace linnet {

void require_window_numbers(std::span<const int64_t> values, int64_t least, std::string_view name) {
  for (const int64_t value : values) {
    if (value < least || value > kLargestWindowNumber) {
      throw Error(ErrorKind::kModel, str(name, " must be in [", least, ", 2^31], got ", value));
    }
  }
}

}  // namespace linnet

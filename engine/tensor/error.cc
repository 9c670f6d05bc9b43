#include "linnet/error.h"

#include <sstream>

namespace linnet {

std::string concatenated(std::initializer_list<Printable> parts) {
  std::ostringstream out;
  for (const Printable& part : parts) part.print(out);
  return out.str();
}

}  // namespace linnet

#include "linnet/error.h"

#include <sstream>

namespace linnet {

void Printable::print_text(std::ostream& out, const void* text) { out << static_cast<const char*>(text); }

std::string concatenated(std::initializer_list<Printable> parts) {
  std::ostringstream out;
  for (const Printable& part : parts) part.print(out);
  return out.str();
}

}  // namespace linnet

#include "linnet/error.h"

#include <sstream>

namespace linnet {

void Printable::print_text(std::ostream& out, const void* text) { out << static_cast<const char*>(text); }

void Printable::print_string(std::ostream& out, std::string_view text) { out << text; }

void Printable::print_number(std::ostream& out, long long number) { out << number; }

void Printable::print_number(std::ostream& out, unsigned long long number) { out << number; }

void Printable::print_number(std::ostream& out, double number) { out << number; }

std::string concatenated(std::initializer_list<Printable> parts) {
  std::ostringstream out;
  for (const Printable& part : parts) part.print(out);
  return out.str();
}

}  // namespace linnet

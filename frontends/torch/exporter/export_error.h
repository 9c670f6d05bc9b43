#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace linnet::exporter {

/// The model cannot be exported; the message says where and why.
class ExportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Contents decide on a size, which was the same for all examples: other ones may show where it counts.
class EqualSizes : public ExportError {
 public:
  using ExportError::ExportError;
};

/// Concatenates the printed forms of its arguments.
template <class... T>
std::string text_of(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace linnet::exporter

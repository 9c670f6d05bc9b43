#pragma once

#include <string>
#include <type_traits>

#include "environment/run_environment.h"

namespace linnet {

/// A std::string as an element that operators move. The memory that a copy needs counts before it is made.
struct Text {
  std::string value;

  Text() = default;
  Text(const Text& other) { *this = other; }
  ~Text() = default;
  Text& operator=(const Text& other) {
    if (other.value.size() > value.capacity()) count_text(other.value.size());
    value = other.value;
    return *this;
  }
  friend bool operator==(const Text& a, const Text& b) { return a.value == b.value; }
};
static_assert(sizeof(Text) == sizeof(std::string) && std::is_standard_layout_v<Text>);

}  // namespace linnet

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model_builder.h"

namespace linnet::testing {

/// Expects a model or an error whichever of the bytes [begin, end) is changed.
inline void expect_changed_bytes_are_handled(const std::string& bytes, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at) {
    for (const int change : {0x01, 0x08, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ change);
      try {
        load_bytes(changed);
      } catch (const Error& error) {
        EXPECT_FALSE(error.message().empty());
      }
    }
  }
}

}  // namespace linnet::testing

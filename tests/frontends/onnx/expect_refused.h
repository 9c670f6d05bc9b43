#pragma once

#include <string>

#include "model_builder.h"
#include "support/run_op.h"

namespace linnet::testing {

inline void expect_refused(const pb::ModelProto& model, ErrorKind kind, const std::string& text) {
  expect_error(kind, text, [&] { load(model); });
}

}  // namespace linnet::testing

#pragma once

#include <span>
#include <vector>

#include "handle.h"
#include "value_info.h"

struct linnet_inference : linnet::c_api::Handle<linnet_inference> {
  linnet_inference(std::span<const linnet::Fact> in, size_t max_inputs, size_t output_count);

  /// Throws Error(kInternal) if the callback did not set an output.
  std::vector<linnet::Fact> take_outputs();

  std::vector<linnet::c_api::FactInfo> inputs;
  std::vector<linnet::Fact> outputs;
};

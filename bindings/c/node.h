#pragma once

#include "handle.h"
#include "linnet/node_spec.h"

struct linnet_node : linnet::c_api::Handle<linnet_node> {
  explicit linnet_node(const linnet::NodeSpec& spec_in) : spec(spec_in) {}

  linnet::NodeSpec spec;
};

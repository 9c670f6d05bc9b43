#pragma once

#include "handle.h"
#include "linnet/registry.h"

struct linnet_registry : linnet::c_api::Handle<linnet_registry> {
  linnet::Registry registry = linnet::standard_registry();
};

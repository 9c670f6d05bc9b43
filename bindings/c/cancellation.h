#pragma once

#include <memory>

#include "handle.h"
#include "linnet/model.h"

struct linnet_cancellation : linnet::c_api::Handle<linnet_cancellation> {
  std::shared_ptr<linnet::CancellationToken> token = std::make_shared<linnet::CancellationToken>();
};

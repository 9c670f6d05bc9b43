#pragma once

#include <memory>

#include "threading.h"

namespace linnet::ort {

/// Returns an executor whose threads, except the calling one, are created and joined by functions of the client.
std::shared_ptr<Executor> make_client_executor(const ThreadSettings& settings);

}  // namespace linnet::ort

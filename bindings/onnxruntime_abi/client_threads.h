#pragma once

#include <memory>

#include "threading.h"

namespace linnet::ort {

/// An executor whose threads, all but the calling one, are made and joined by the functions of a client.
std::shared_ptr<Executor> make_client_executor(const ThreadSettings& settings);

}  // namespace linnet::ort

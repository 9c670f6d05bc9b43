#pragma once

#include <memory>
#include <memory_resource>
#include <string>

#include "linnet/executor.h"
#include "linnet/model.h"
#include "linnet/options.h"
#include "status.h"

// Wrap what a program gives for Linnet to call in the types of the C++ API.
namespace linnet::c_api {

/// The program's threads as an Executor. Throws ArgumentError for invalid fields.
std::shared_ptr<Executor> executor_of(const linnet_executor& given);

/// A resource whose memory the program's functions allocate. Throws ArgumentError for invalid fields.
std::unique_ptr<std::pmr::memory_resource> memory_of(const linnet_allocator& given);

/// The program's files as ModelFiles. Throws ArgumentError for invalid fields.
std::shared_ptr<ModelFiles> files_of(const linnet_files& given);

/// An observer that calls on_node; nullptr if the options have no on_node.
std::shared_ptr<Observer> observer_of(const linnet_run_options& options);

}  // namespace linnet::c_api

#pragma once

#include <memory>
#include <memory_resource>
#include <string>

#include "linnet/executor.h"
#include "linnet/model.h"
#include "linnet/options.h"
#include "status.h"

// What a program gives for Linnet to call, as the C++ API takes it.
namespace linnet::c_api {

/// Throws ArgumentError for fields that are not valid.
std::shared_ptr<Executor> executor_of(const linnet_executor& given);

/// Memory that the program's functions allocate. Throws ArgumentError for fields that are not valid.
std::unique_ptr<std::pmr::memory_resource> memory_of(const linnet_allocator& given);

/// Throws ArgumentError for fields that are not valid.
std::shared_ptr<ModelFiles> files_of(const linnet_files& given);

/// nullptr where the options have none.
std::shared_ptr<Observer> observer_of(const linnet_run_options& options);

}  // namespace linnet::c_api

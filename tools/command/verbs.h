#pragma once

#include "command/failure.h"
#include "command/options.h"

namespace linnet::tool {

ExitCode run_verb(const Options& options);
ExitCode bench_verb(const Options& options);
ExitCode check_verb(const Options& options);
ExitCode compare_verb(const Options& options);
ExitCode inspect_verb(const Options& options);
ExitCode quantize_verb(const Options& options);
ExitCode ops_verb(const Options& options);
ExitCode devices_verb(const Options& options);

}  // namespace linnet::tool

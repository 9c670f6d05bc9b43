#pragma once

namespace linnet {

/// The number of threads of executors without an explicit number: OMP_NUM_THREADS, otherwise available_processors().
int default_threads();

}  // namespace linnet

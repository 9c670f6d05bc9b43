#pragma once

namespace linnet {

/// Of executors that are asked for no number: OMP_NUM_THREADS, else available_processors().
int default_threads();

}  // namespace linnet

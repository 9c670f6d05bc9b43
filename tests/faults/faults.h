#pragma once

#include <cstdint>
#include <string>

// System calls of the program, each of which can fail. The settings apply to all threads.
namespace linnet::testing {

/// The kinds of calls that fail, and how they fail.
enum class Fault {
  kMemory,       ///< malloc and its replacements: null
  kFile,         ///< open, read, write, stat, rename and similar calls: EIO
  kInterrupted,  ///< calls that read and write: EINTR
  kShort,        ///< calls that read and write: half of the requested bytes, at least one
  kThread,       ///< pthread_create: EAGAIN
};

/// Makes call number `call` (0: the first) of a kind fail, and all later ones if `forever`.
void begin_fault(Fault fault, int64_t call, bool forever);
/// Ends the failures. Returns the number of calls of that kind.
int64_t end_fault();

/// Returns the number of allocated blocks of memory.
int64_t live_blocks();

}  // namespace linnet::testing

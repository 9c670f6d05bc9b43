#pragma once

#include <cstdint>
#include <string>

// What the program takes from the system, each call of which may fail. In force for all threads.
namespace linnet::testing {

/// The kinds of calls that fail, and how.
enum class Fault {
  kMemory,       ///< malloc and what stands for it: null
  kFile,         ///< open, read, write, stat, rename and their like: EIO
  kInterrupted,  ///< those that read and write: EINTR
  kShort,        ///< those that read and write: half of what is asked for, at least a byte
  kThread,       ///< pthread_create: EAGAIN
};

/// From now on call number `call` (0: the first) of a kind fails, and all behind it where `forever`.
void begin_fault(Fault fault, int64_t call, bool forever);
/// No call fails any more. Returns how many of that kind there were.
int64_t end_fault();

/// Blocks of memory that are alive.
int64_t live_blocks();

}  // namespace linnet::testing

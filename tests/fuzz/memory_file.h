#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <span>
#include <string>

#include "linnet/error.h"

namespace linnet {

/// Bytes as a file, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const uint8_t> bytes) : fd_(memfd_create("input", MFD_CLOEXEC)) {
    if (write(fd_, bytes.data(), bytes.size()) != ssize_t(bytes.size())) throw Error(ErrorKind::kIo, "no memory");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace linnet

#pragma once

#include <string>
#include <utility>

#include "byte_source.h"
#include "linnet/error.h"

namespace linnet {

/// A regular file, open for reading. All errors are Error(kIo) and name the path.
class File final : public ByteSource {
 public:
  /// Opens a file without ever blocking; pipes, devices and directories are refused.
  explicit File(const std::string& path);
  /// Duplicates a file descriptor that the caller opened. Reads begin at byte 0, whatever the descriptor's offset.
  explicit File(int fd);
  ~File() override;
  File(File&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  File& operator=(File&& other) noexcept;

  const std::string& path() const { return path_; }
  int64_t size() const override { return size_; }
  std::string name() const override { return str('\'', path_, '\''); }
  std::string identity() const override;
  std::string state() const override;
  std::string version() const override;

  size_t read_some(std::byte* to, size_t wanted, int64_t offset) const override;
  void read(std::span<std::byte> to, int64_t offset) const override;

 private:
  void check_regular();

  std::string path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

}  // namespace linnet

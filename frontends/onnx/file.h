#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace linnet {

/// A regular file, open for reading. All errors are Error(kIo) and name the path.
class File {
 public:
  /// Never blocks: pipes, devices and directories are refused.
  explicit File(const std::string& path);
  ~File();
  File(File&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  File& operator=(File&& other) noexcept;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }

  /// Reads up to `wanted` bytes at an offset; fewer only at the end of the file. Returns how many.
  size_t read_some(std::byte* to, size_t wanted, int64_t offset) const;
  /// Fills `to` from an offset; a file that ends before is an error.
  void read(std::span<std::byte> to, int64_t offset) const;

 private:
  std::string path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

}  // namespace linnet

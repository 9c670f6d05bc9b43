#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "linnet/export.h"

namespace linnet {

/// A file descriptor that is closed on destruction.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// A file that is written under another name until it is complete. Those who open `path` see the previous file or the
/// complete one; if writing fails, the previous one stays. Only the user may read the file unless share() is called.
/// All functions throw Error(kIo).
class LINNET_API NewFile {
 public:
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write_at_start(std::span<const std::byte> bytes);
  /// Gives the file the usual permissions of new files.
  void share();
  /// Completes the file and moves it to its path.
  void keep();
  int descriptor() const { return file_.get(); }
  /// Throws Error(kIo) for the value of errno.
  [[noreturn]] void fail() const;

 private:
  std::string path_, name_;
  Descriptor file_;
  bool kept_ = false;
};

}  // namespace linnet

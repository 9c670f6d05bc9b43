#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "linnet/export.h"

namespace linnet {

/// A file descriptor that is closed.
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

/// A file under another name until it is complete: who opens `path` sees what was there before or all of it, and where
/// writing fails the former stays. Only the user may read it unless share() is called. All throw Error(kIo).
class LINNET_API NewFile {
 public:
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write_at_start(std::span<const std::byte> bytes);
  /// Gives it the permissions that new files have.
  void share();
  /// The file is complete, and stands under its name.
  void keep();
  int descriptor() const { return file_.get(); }
  /// Throws what errno says.
  [[noreturn]] void fail() const;

 private:
  std::string path_, name_;
  Descriptor file_;
  bool kept_ = false;
};

}  // namespace linnet

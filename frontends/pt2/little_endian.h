#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "linnet/error.h"
#include "onnx/byte_source.h"

namespace linnet::pt2 {

/// A copy of some bytes of an archive from which numbers are read. Every access is checked.
class RecordBytes {
 public:
  /// `what` appears in messages: "the directory".
  RecordBytes(const ByteSource& archive, int64_t offset, int64_t bytes, const char* what) : what_(what) {
    if (offset < 0 || bytes < 0 || offset > archive.size() || bytes > archive.size() - offset) fail();
    text_.resize(size_t(bytes));
    archive.read(std::as_writable_bytes(std::span(text_)), offset);
  }

  size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }
  std::string text(size_t at, size_t bytes) const {
    check(at, bytes);
    return text_.substr(at, bytes);
  }
  uint64_t number(size_t at, size_t bytes) const {
    check(at, bytes);
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text_[at + i]);
    return value;
  }

 private:
  [[noreturn]] void fail() const { throw Error(ErrorKind::kModel, str("the ZIP archive is damaged: ", what_)); }
  void check(size_t at, size_t bytes) const {
    if (at > text_.size() || bytes > text_.size() - at) fail();
  }

  std::string text_;
  const char* what_;
};

}  // namespace linnet::pt2

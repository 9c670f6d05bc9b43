#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace linnet {

/// Bytes that can be read in any order, by several threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual int64_t size() const = 0;
  /// Returns a text that differs from that of any other file, and of this file with other contents. It is empty if a
  /// change at this moment could go unnoticed, and for sources that are not files.
  virtual std::string identity() const { return {}; }
  /// Returns the same text, even if a change at this moment could go unnoticed.
  virtual std::string state() const { return {}; }
  /// The name for messages.
  virtual std::string name() const = 0;
  /// Returns a text that differs once the contents have changed. It is empty if a change could go unnoticed, and for
  /// sources that are not files.
  virtual std::string version() const { return {}; }
  /// Reads up to `wanted` bytes from `offset` on, fewer only at the end. Returns the number of bytes read.
  virtual size_t read_some(std::byte* to, size_t wanted, int64_t offset) const = 0;
  /// Fills `to` from `offset` on. Throws Error(kIo) if the bytes end before it is full.
  virtual void read(std::span<std::byte> to, int64_t offset) const = 0;
};

/// Memory that the caller owns; it must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  int64_t size() const override { return int64_t(bytes_.size()); }
  std::string name() const override { return "the model"; }
  size_t read_some(std::byte* to, size_t wanted, int64_t offset) const override;
  void read(std::span<std::byte> to, int64_t offset) const override;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace linnet

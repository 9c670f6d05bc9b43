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
  /// Differs from that of any other file and of this one with other contents; empty where a change at this moment could
  /// go unseen, and of what is no file.
  virtual std::string identity() const { return {}; }
  /// The same where a change at this moment could go unseen, too.
  virtual std::string state() const { return {}; }
  /// For messages.
  virtual std::string name() const = 0;
  /// Differs once the contents have changed; empty where that could go unseen, and of what is no file.
  virtual std::string version() const { return {}; }
  /// Reads up to `wanted` bytes at an offset; fewer only at the end. Returns how many.
  virtual size_t read_some(std::byte* to, size_t wanted, int64_t offset) const = 0;
  /// Fills `to` from an offset; throws Error(kIo) where the bytes end before.
  virtual void read(std::span<std::byte> to, int64_t offset) const = 0;
};

/// Memory of the caller.
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

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace linnet {

/// 128 bits that tell contents apart (XXH3). Who does not know the secret cannot make others with the same.
struct Checksum {
  uint64_t low = 0, high = 0;

  /// 32 hexadecimal digits.
  std::string hex() const;
  auto operator<=>(const Checksum&) const = default;
};

/// The checksum of bytes that come in parts.
class Checksummer {
 public:
  static constexpr size_t kSecretBytes = 192;

  /// `secret`: kSecretBytes, which must outlive this, or none.
  explicit Checksummer(std::span<const std::byte> secret = {});
  ~Checksummer();
  Checksummer(const Checksummer&) = delete;
  Checksummer& operator=(const Checksummer&) = delete;

  void add(std::span<const std::byte> bytes);
  /// With its length, so that no two lists of texts are alike.
  void add(std::string_view text);
  Checksum result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace linnet

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace linnet {

/// A 128-bit checksum of contents (XXH3). Without the secret, contents with a given checksum cannot be constructed.
struct Checksum {
  uint64_t low = 0, high = 0;

  /// 32 hexadecimal digits.
  std::string hex() const;
  auto operator<=>(const Checksum&) const = default;
};

/// Computes the checksum of bytes that are added in parts.
class Checksummer {
 public:
  static constexpr size_t kSecretBytes = 192;

  /// `secret`: kSecretBytes bytes, which must outlive this object, or empty.
  explicit Checksummer(std::span<const std::byte> secret = {});
  ~Checksummer();
  Checksummer(const Checksummer&) = delete;
  Checksummer& operator=(const Checksummer&) = delete;

  void add(std::span<const std::byte> bytes);
  /// Adds the text and its length, so that no two lists of texts add the same bytes.
  void add(std::string_view text);
  Checksum result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace linnet

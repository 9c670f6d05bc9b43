#include "tensor/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdio>

namespace linnet {

struct alignas(64) Checksummer::State {
  XXH3_state_t xxh3;
};

std::string Checksum::hex() const {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text.data();
}

Checksummer::Checksummer(std::span<const std::byte> secret) : state_(std::make_unique<State>()) {
  if (secret.empty()) {
    XXH3_128bits_reset(&state_->xxh3);
  } else {
    XXH3_128bits_reset_withSecret(&state_->xxh3, secret.data(), secret.size());
  }
}
Checksummer::~Checksummer() = default;

void Checksummer::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

void Checksummer::add(std::string_view text) {
  const uint64_t bytes = text.size();
  add(std::as_bytes(std::span(&bytes, 1)));
  add(std::as_bytes(std::span(text)));
}

Checksum Checksummer::result() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh3);
  return {hash.low64, hash.high64};
}

}  // namespace linnet

#include "tensor/seeded_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <random>

namespace linnet {

SeededHash::Salt::Salt() {
  std::random_device device;
  for (unsigned char& byte : secret) byte = static_cast<unsigned char>(device());
  for (uint64_t& number : numbers) number = uint64_t{device()} << 32 | device();
  for (size_t i = 1; i < 3; ++i) numbers[i] |= 1;
}

const SeededHash::Salt& SeededHash::process_salt() {
  static const Salt salt;
  return salt;
}

SeededHash::SeededHash() : salt_(&process_salt()) {}

uint64_t SeededHash::hash_text(std::string_view text) const {
  static_assert(kSecretBytes >= XXH3_SECRET_SIZE_MIN);
  return XXH3_64bits_withSecret(text.data(), text.size(), salt_->secret, kSecretBytes);
}

}  // namespace linnet

#include "tensor/seeded_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <random>

namespace linnet {

namespace {

/// SplitMix64 with a random start and step, because reading a random number from the system takes microseconds.
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
class Draws {
 public:
  uint64_t operator()() {
    uint64_t number = state_ += step_;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
  }

 private:
  static uint64_t system_number() {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  }

  uint64_t state_ = system_number(), step_ = system_number() | 1;
};

}  // namespace

SeededHash::Salt::Salt() {
  Draws draw;
  for (uint64_t& number : secret) number = draw();
  for (uint64_t& number : numbers) number = draw();
  for (size_t i = 1; i < 3; ++i) numbers[i] |= 1;
}

const SeededHash::Salt& SeededHash::process_salt() {
  static const Salt salt;
  return salt;
}

SeededHash::SeededHash() : salt_(&process_salt()) {}

uint64_t SeededHash::hash_text(std::string_view text) const {
  static_assert(sizeof salt_->secret >= XXH3_SECRET_SIZE_MIN);
  return XXH3_64bits_withSecret(text.data(), text.size(), salt_->secret, sizeof salt_->secret);
}

}  // namespace linnet

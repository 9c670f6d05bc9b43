#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>

namespace linnet {

/// Instructions that a processor may have. kAvx512: the F, CD, DQ, BW and VL parts; the kAmx ones include the tiles.
/// From kDotprod on: of 64-bit ARM.
enum class Feature : uint8_t {
  kAvx2,
  kFma,
  kF16c,
  kAvx512,
  kAvxVnni,
  kAvx512Vnni,
  kAvx512Bf16,
  kAvx512Fp16,
  kAmxInt8,
  kAmxBf16,
  kDotprod,
  kI8mm,
  kBf16,
  kFp16,
  kSve,
};

/// A set of them.
class Features {
 public:
  constexpr Features() = default;
  constexpr Features(Feature feature) : bits_(uint32_t{1} << int(feature)) {}  // NOLINT: a feature is a set of one
  constexpr Features(std::initializer_list<Feature> features) {
    for (const Feature feature : features) *this |= feature;
  }

  constexpr Features& operator|=(Features other) {
    bits_ |= other.bits_;
    return *this;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(Features other) const { return (bits_ & other.bits_) == other.bits_; }
  friend constexpr Features operator|(Features a, Features b) { return a |= b; }
  friend constexpr auto operator<=>(const Features&, const Features&) = default;

 private:
  uint32_t bits_ = 0;
};

/// What kernels may use: a base set of instructions, and of the features that extend it exactly the given ones.
/// kAuto: what LINNET_ISA in the environment names where set, else the best base set that processor and operating
/// system support, with all features that they have.
class Isa {
 public:
  enum Base : uint8_t { kAuto, kBaseline, kAvx2, kAvx512 };

  constexpr Isa(Base base = kAuto, Features features = {}) : base_(base), features_(features) {}  // NOLINT: as above

  constexpr Base base() const { return base_; }
  constexpr Features features() const { return features_; }
  friend constexpr auto operator<=>(const Isa&, const Isa&) = default;

 private:
  Base base_;
  Features features_;
};

}  // namespace linnet

#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>

namespace linnet {

/// Instruction set extensions that a processor may have. `kAvx512` means the F, CD, DQ, BW and VL parts together; the
/// `kAmx...` ones include the tiles. `kDotprod` and all after it belong to 64-bit ARM.
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

/// A set of instruction set extensions.
class Features {
 public:
  /// The empty set, or the set of the given features.
  constexpr Features() = default;
  constexpr Features(Feature feature) : bits_(uint32_t{1} << int(feature)) {}  // NOLINT: a feature is a set of one
  constexpr Features(std::initializer_list<Feature> features) {
    for (const Feature feature : features) *this |= feature;
  }

  /// Adds the features of another set.
  constexpr Features& operator|=(Features other) {
    bits_ |= other.bits_;
    return *this;
  }
  /// empty(): whether the set has no feature. contains(): whether it has all features of the other one. The union.
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(Features other) const { return (bits_ & other.bits_) == other.bits_; }
  friend constexpr Features operator|(Features a, Features b) { return a |= b; }
  friend constexpr auto operator<=>(const Features&, const Features&) = default;

 private:
  uint32_t bits_ = 0;
};

/// The instructions that kernels may use: a base set and exactly the given features that extend it. `kAuto` takes what
/// `LINNET_ISA` in the environment names, if it is set; otherwise the best base set that the processor and the
/// operating system support, with all features that they have.
class Isa {
 public:
  /// kBaseline is what every processor of the architecture has: SSE2 on x86-64, NEON on 64-bit ARM.
  enum Base : uint8_t { kAuto, kBaseline, kAvx2, kAvx512 };

  /// A base set with features that extend it; with kAuto, no features are given.
  constexpr Isa(Base base = kAuto, Features features = {}) : base_(base), features_(features) {}  // NOLINT: as above

  /// The base set and the features as given.
  constexpr Base base() const { return base_; }
  constexpr Features features() const { return features_; }
  friend constexpr auto operator<=>(const Isa&, const Isa&) = default;

 private:
  Base base_;
  Features features_;
};

}  // namespace linnet

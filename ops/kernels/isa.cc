#include "kernels/isa.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "kernels/cpu_features.h"
#include "linnet/error.h"

namespace linnet {
namespace {

const Features& machine() {
  static const Features features = detect_features();
  return features;
}

FeatureSupport extension(std::string_view name, Feature feature) {
  return {name, feature, machine().contains(feature)};
}

IsaSupport base_set(Isa isa, std::string_view name, Features needs, std::span<const FeatureSupport> features) {
  return {isa, name, machine().contains(needs), needs, features};
}

#ifdef LINNET_HAS_ISA_avx512
IsaSupport avx512() {
  static const std::array kExtensions{
      extension("vnni", Feature::kAvx512Vnni),  extension("bf16", Feature::kAvx512Bf16),
      extension("fp16", Feature::kAvx512Fp16),  extension("amx_int8", Feature::kAmxInt8),
      extension("amx_bf16", Feature::kAmxBf16),
  };
  return base_set(Isa::kAvx512, "avx512", {Feature::kAvx512, Feature::kAvx2, Feature::kFma, Feature::kF16c},
                  kExtensions);
}
#endif

#ifdef LINNET_HAS_ISA_avx2
IsaSupport avx2() {
  static const std::array kExtensions{extension("vnni", Feature::kAvxVnni)};
  return base_set(Isa::kAvx2, "avx2", {Feature::kAvx2, Feature::kFma, Feature::kF16c}, kExtensions);
}
#endif

#ifdef LINNET_HAS_ISA_baseline
IsaSupport baseline() {
#ifdef __aarch64__
  static const std::array kExtensions{
      extension("dotprod", Feature::kDotprod), extension("i8mm", Feature::kI8mm), extension("bf16", Feature::kBf16),
      extension("fp16", Feature::kFp16),       extension("sve", Feature::kSve),
  };
  return base_set(Isa::kBaseline, "neon", {}, kExtensions);
#else
  return base_set(Isa::kBaseline, "baseline", {}, {});
#endif
}
#endif

const IsaSupport* entry_of(Isa isa) {
  for (const IsaSupport& entry : isa_support()) {
    if (entry.isa.base() == isa.base()) return &entry;
  }
  return nullptr;
}

Features supported_features(const IsaSupport& entry) {
  Features features;
  for (const FeatureSupport& f : entry.features) {
    if (f.supported) features |= f.feature;
  }
  return features;
}

/// Returns the known names, such as "auto, avx512[+vnni][+bf16], avx2", or only those that this machine supports.
std::string names(bool supported_only) {
  std::string text = "auto";
  for (const IsaSupport& entry : isa_support()) {
    if (supported_only && !entry.supported) continue;
    text += str(", ", entry.name);
    for (const FeatureSupport& f : entry.features) {
      if (!supported_only || f.supported) text += str("[+", f.name, "]");
    }
  }
  return text;
}

/// Returns the features in a text such as "+vnni+bf16", or nullopt where one is unknown.
std::optional<Features> features_from(std::string_view text, std::span<const FeatureSupport> known) {
  Features features;
  while (!text.empty()) {
    if (text.front() != '+') return std::nullopt;
    const std::string_view name = text.substr(1, text.find('+', 1) - 1);
    const auto found = std::ranges::find(known, name, &FeatureSupport::name);
    if (found == known.end()) return std::nullopt;
    features |= found->feature;
    text.remove_prefix(1 + name.size());
  }
  return features;
}

Isa best() {
  for (const IsaSupport& entry : isa_support()) {
    if (entry.supported) return {entry.isa.base(), supported_features(entry)};
  }
  throw Error(ErrorKind::kUnsupported,
              str("this machine supports none of the instruction sets of this build; known: ", names(false)));
}

Isa forced_or_best() {
  const char* forced = std::getenv("LINNET_ISA");
  const Isa isa = forced ? isa_from_name(*forced ? forced : "auto") : Isa::kAuto;
  return isa == Isa::kAuto ? best() : isa;
}

}  // namespace

std::span<const IsaSupport> isa_support() {
  static const std::array kSupport{
#ifdef LINNET_HAS_ISA_avx512
      avx512(),
#endif
#ifdef LINNET_HAS_ISA_avx2
      avx2(),
#endif
#ifdef LINNET_HAS_ISA_baseline
      baseline(),
#endif
  };
  return kSupport;
}

std::string isa_name(Isa isa) {
  const IsaSupport* entry = entry_of(isa);
  if (!entry) return "auto";
  std::string name(entry->name);
  for (const FeatureSupport& f : entry->features) {
    if (isa.features().contains(f.feature)) name += str("+", f.name);
  }
  return name;
}

Isa isa_from_name(std::string_view name) {
  if (name == "auto") return Isa::kAuto;
  for (const IsaSupport& entry : isa_support()) {
    if (!name.starts_with(entry.name)) continue;
    const auto features = features_from(name.substr(entry.name.size()), entry.features);
    if (features) return {entry.isa.base(), *features};
  }
  throw Error(ErrorKind::kUnsupported, str("instruction set '", name, "' is unknown; known: ", names(false)));
}

Isa resolve_isa(Isa isa) {
  if (isa == Isa::kAuto) isa = forced_or_best();
  const IsaSupport* entry = entry_of(isa);
  if (!entry) throw Error(ErrorKind::kUnsupported, "this build lacks the instruction set asked for");
  if (entry->supported && supported_features(*entry).contains(isa.features())) return isa;
  throw Error(ErrorKind::kUnsupported,
              str("this machine does not support instruction set '", isa_name(isa), "'; supported: ", names(true)));
}

Isa without(Isa isa, Feature feature) {
  const Isa from = resolve_isa(isa);
  Features kept;
  for (const FeatureSupport& support : entry_of(from)->features) {
    if (support.feature != feature && from.features().contains(support.feature)) kept |= support.feature;
  }
  return Isa(from.base(), kept);
}

Features features_of(Isa isa) {
  const IsaSupport* entry = entry_of(isa);
  return entry ? entry->needs | isa.features() : isa.features();
}

}  // namespace linnet

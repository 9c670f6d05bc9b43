#include "linnet/did_you_mean.h"

#include <algorithm>
#include <cctype>

namespace linnet {

namespace {

constexpr size_t kMostLetters = 2;

std::string lower(std::string_view text) {
  std::string letters(text);
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return letters;
}

/// How many letters are inserted, removed or replaced between two names; more than `most` where it is more.
size_t distance(std::string_view a, std::string_view b, size_t most) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  a.remove_prefix(size_t(in_a - a.begin()));
  b.remove_prefix(size_t(in_b - b.begin()));
  if (a.empty() || b.empty()) return std::max(a.size(), b.size());
  if (most == 0) return 1;
  const size_t removed = distance(a.substr(1), b, most - 1), inserted = distance(a, b.substr(1), most - 1);
  return 1 + std::min({removed, inserted, distance(a.substr(1), b.substr(1), most - 1)});
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string wanted = lower(name);
  const std::string* nearest = nullptr;
  // A name of which no letter stays is not similar.
  size_t least = std::min(kMostLetters + 1, name.size());
  for (const std::string& candidate : known) {
    if (std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size()) >= least) continue;
    const size_t letters = distance(wanted, lower(candidate), least - 1);
    if (letters >= std::min(least, candidate.size())) continue;
    least = letters;
    nearest = &candidate;
    if (letters == 0) break;
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

}  // namespace linnet

// Options of arenas. They are accepted without effect: Linnet plans memory for every set of shapes and has no arena.
#include <string_view>

#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct ArenaCfg {};

namespace {

constexpr std::string_view kKeys[] = {"max_mem",
                                      "arena_extend_strategy",
                                      "initial_chunk_size_bytes",
                                      "max_dead_bytes_per_chunk",
                                      "initial_growth_chunk_size_bytes",
                                      "max_power_of_two_extend_bytes"};

bool is_known(std::string_view key) {
  for (const std::string_view known : kKeys) {
    if (key == known) return true;
  }
  return false;
}

}  // namespace

Status* CreateArenaCfg(size_t, int, int, int, ArenaCfg** created) noexcept {
  return create(created, [] { return new ArenaCfg; });
}

Status* CreateArenaCfgV2(const char* const* keys, const size_t* values, size_t count, ArenaCfg** created) noexcept {
  return create(created, [&] {
    require((keys && values) || count == 0, "keys and values must not be NULL");
    for (size_t i = 0; i < count; ++i) {
      if (!is_known(text(keys[i], "a key"))) throw Failure(kInvalidArgument, str("Invalid key found: ", keys[i]));
    }
    return new ArenaCfg;
  });
}

void ReleaseArenaCfg(ArenaCfg* configuration) noexcept { delete configuration; }

}  // namespace linnet::ort

#include "report/progress.h"

#include <algorithm>
#include <cstdio>

#include "report/terminal.h"

namespace linnet::tool {

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(is_terminal(stderr)), colours_(has_colours(stderr)) {}

void Progress::hide() {
  if (drawn_ >= 0) std::fprintf(stderr, "\r\x1b[K");
  drawn_ = -1;
}

void Progress::update(double fraction) {
  constexpr int kWidth = 40;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = int(fraction * kWidth);
  if (!terminal_ || filled == drawn_) return;
  drawn_ = filled;
  std::fprintf(stderr, "\r%s [%s%.*s%s%*s] %3d %%", what_.c_str(), colours_ ? "\x1b[32m" : "", filled,
               "########################################", colours_ ? "\x1b[m" : "", kWidth - filled, "",
               int(fraction * 100));
}

}  // namespace linnet::tool

#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace linnet::tool {

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (terminal_ && drawn_ >= 0) std::fprintf(stderr, "\r\x1b[K");
}

void Progress::update(double fraction) {
  constexpr int kWidth = 40;
  const int filled = int(std::clamp(fraction, 0.0, 1.0) * kWidth);
  if (!terminal_ || filled == drawn_) return;
  drawn_ = filled;
  std::fprintf(stderr, "\r%s [%.*s%*s] %3d %%", what_.c_str(), filled, "########################################",
               kWidth - filled, "", int(fraction * 100));
}

}  // namespace linnet::tool

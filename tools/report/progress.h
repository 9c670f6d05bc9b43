#pragma once

#include <string>

namespace linnet::tool {

/// A progress bar on stderr; nothing if stderr is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress() { hide(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// fraction in [0, 1]. Draws only if the picture changes, so that it may be called often.
  void update(double fraction);
  /// Removes the bar, so that a line of text can be printed.
  void hide();

 private:
  std::string what_;
  bool terminal_, colours_;
  int drawn_ = -1;
};

}  // namespace linnet::tool

#pragma once

#include <string>

namespace linnet::tool {

/// A bar on stderr while something runs; nothing where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress() { hide(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// fraction in [0, 1]. Draws only when the picture changes, so it may be called often.
  void update(double fraction);
  /// Makes way for a line of text.
  void hide();

 private:
  std::string what_;
  bool terminal_, colours_;
  int drawn_ = -1;
};

}  // namespace linnet::tool

#pragma once

#include <string>

namespace linnet::tool {

/// At most so many characters of UTF-8 text; an ellipsis stands for those that are left out at its begin, or its end.
std::string without_begin(const std::string& text, size_t most);
std::string without_end(const std::string& text, size_t most);
/// Characters of UTF-8 text.
size_t length_of(const std::string& text);

/// A picture as SVG, in pixels. Names may hold anything: what XML cannot hold, control characters and broken UTF-8,
/// becomes U+FFFD. `style`: a class that the style sheet of the picture knows.
class Svg {
 public:
  Svg(double width, double height, const std::string& style_sheet);

  /// angle: degrees by which the text is turned to the right.
  void text(double x, double y, const char* style, const std::string& words, double angle = 0);
  void line(double x1, double y1, double x2, double y2, const char* style);
  void rectangle(double x, double y, double width, double height, const char* colour);
  /// What is drawn until end_group() shows `tooltip`, of any lines, where the mouse is over it.
  void begin_group(const char* style, const std::string& tooltip);
  void end_group();

  /// The whole file.
  std::string file() const;

 private:
  std::string text_;
};

}  // namespace linnet::tool

#pragma once

#include <string>

namespace linnet::tool {

/// At most `most` characters of UTF-8 text. An ellipsis replaces the characters that are left out at its beginning, or
/// at its end.
std::string without_begin(const std::string& text, size_t most);
std::string without_end(const std::string& text, size_t most);
/// The number of characters of UTF-8 text.
size_t length_of(const std::string& text);

/// A picture as SVG, in pixels. Names may contain anything: control characters and invalid UTF-8, which XML does not
/// permit, become U+FFFD. `style`: a class in the style sheet of the picture.
class Svg {
 public:
  Svg(double width, double height, const std::string& style_sheet);

  /// angle: the clockwise rotation of the text in degrees.
  void text(double x, double y, const char* style, const std::string& words, double angle = 0);
  void line(double x1, double y1, double x2, double y2, const char* style);
  void rectangle(double x, double y, double width, double height, const char* colour);
  /// Begins a group, until end_group(), that shows `tooltip`, which may have several lines, where the mouse is over it.
  void begin_group(const char* style, const std::string& tooltip);
  void end_group();

  /// The complete file.
  std::string file() const;

 private:
  std::string text_;
};

}  // namespace linnet::tool

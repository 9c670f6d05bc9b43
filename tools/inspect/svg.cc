#include "inspect/svg.h"

#include <span>

#include "report/report.h"
#include "report/utf.h"

namespace linnet::tool {
namespace {

// Source: https://www.w3.org/TR/xml/#charsets
bool allowed(char32_t code) {
  return code == '\n' || (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800) ||
         (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

std::string utf8(const std::u32string& codes) { return utf8_from_utf32(std::as_bytes(std::span(codes))); }

std::string escaped(const std::string& text) {
  std::u32string result;
  for (const char32_t code : utf32_from_utf8(text)) {
    if (code == U'&') {
      result += U"&amp;";
    } else if (code == U'<') {
      result += U"&lt;";
    } else if (code == U'>') {
      result += U"&gt;";
    } else {
      result += allowed(code) ? code : U'\ufffd';
    }
  }
  return utf8(result);
}

}  // namespace

std::string without_begin(const std::string& text, size_t most) {
  const std::u32string codes = utf32_from_utf8(text);
  return codes.size() <= most ? text : utf8(U"\u2026" + codes.substr(codes.size() - most + 1));
}

std::string without_end(const std::string& text, size_t most) {
  const std::u32string codes = utf32_from_utf8(text);
  return codes.size() <= most ? text : utf8(codes.substr(0, most - 1) + U"\u2026");
}

size_t length_of(const std::string& text) { return utf32_from_utf8(text).size(); }

Svg::Svg(double width, double height, const std::string& style_sheet)
    : text_(format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">)",
                   width, height, width, height) +
            "\n<style>" + style_sheet + "</style>\n") {
  rectangle(0, 0, width, height, "#fff");
}

void Svg::text(double x, double y, const char* style, const std::string& words, double angle) {
  text_ += format(R"(<text class="%s" )", style);
  text_ += angle == 0 ? format(R"(x="%.1f" y="%.1f")", x, y)
                      : format(R"-(transform="translate(%.1f %.1f) rotate(%.0f)")-", x, y, angle);
  text_ += ">" + escaped(words) + "</text>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, const char* style) {
  text_ += format(R"(<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>)", style, x1, y1, x2, y2) + "\n";
}

void Svg::rectangle(double x, double y, double width, double height, const char* colour) {
  text_ +=
      format(R"(<rect x="%.1f" y="%.2f" width="%.1f" height="%.2f" fill="%s"/>)", x, y, width, height, colour) + "\n";
}

void Svg::begin_group(const char* style, const std::string& tooltip) {
  text_ += format(R"(<g class="%s"><title>)", style) + escaped(tooltip) + "</title>\n";
}

void Svg::end_group() { text_ += "</g>\n"; }

std::string Svg::file() const { return text_ + "</svg>\n"; }

}  // namespace linnet::tool

#include "report/svg.h"

#include <fmt/core.h>

#include "report/text_table.h"

namespace clade {

std::string svg_escaped(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const std::string_view three = text.substr(k, 3);
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += "\xEF\xBF\xBD";  // XML has no such characters, not even escaped
    } else if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      result += "\xEF\xBF\xBD";
      k += 2;
    } else {
      result += c;
    }
  }
  return result;
}

double svg_text_width(std::string_view text, double font) {
  constexpr std::string_view kWide = "MWmw@%";
  double letters = 0.7 * display_width(text);
  for (const char c : text) {
    if (kWide.find(c) != kWide.npos) {
      letters += 0.42;
    } else if (c >= 'A' && c <= 'Z') {
      letters += 0.15;
    }
  }
  return font * letters;
}

std::string svg_document(double width, double height, double font, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{2:g}\" fill=\"#222\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "{3}</svg>\n",
      width, height, font, body);
}

}  // namespace clade

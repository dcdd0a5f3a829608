#include "report/text_table.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace clade {

namespace {

// The code point at the start of a text; an invalid byte stands for itself.
struct Character {
  std::size_t bytes;
  int width;
};

Character first_character(std::string_view utf8) {
  utf8proc_int32_t point = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                                                   static_cast<utf8proc_ssize_t>(utf8.size()), &point);
  if (length <= 0) return {1, 1};
  return {static_cast<std::size_t>(length), utf8proc_charwidth(point)};
}

}  // namespace

int display_width(std::string_view utf8) {
  int width = 0;
  while (!utf8.empty()) {
    const Character character = first_character(utf8);
    width += character.width;
    utf8.remove_prefix(character.bytes);
  }
  return width;
}

std::string shortened(std::string_view utf8, int width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  constexpr std::string_view kCut = "...";
  int left = width - static_cast<int>(kCut.size());
  std::size_t end = 0;
  while (end < utf8.size()) {
    const Character character = first_character(utf8.substr(end));
    if (character.width > left) break;  // combining marks take no cell and stay with their character
    left -= character.width;
    end += character.bytes;
  }
  return std::string(utf8.substr(0, end)) + std::string(kCut);
}

std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t left, std::size_t text_from) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], display_width(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string padding(static_cast<std::size_t>(widths[k] - display_width(row[k])), ' ');
      text += k < left || k >= text_from ? "  " + row[k] + padding : "  " + padding + row[k];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace clade

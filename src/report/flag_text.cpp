#include "report/flag_text.h"

#include <algorithm>

namespace clade {

std::string with_flags(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '`' ? text.find('`', at + 1) : std::string_view::npos;
    const std::string_view name = end == std::string_view::npos ? "" : text.substr(at + 1, end - at - 1);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!is_name) {
      result += text[at];
      continue;
    }
    result += "--" + std::string(name);
    at = end;
  }
  return result;
}

std::vector<std::string> with_flags(std::vector<std::string> notes) {
  for (std::string& note : notes) note = with_flags(note);
  return notes;
}

}  // namespace clade

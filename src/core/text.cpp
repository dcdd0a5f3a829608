#include "core/text.h"

#include <algorithm>

namespace clade {

std::string short_list(std::span<const std::string> items, std::size_t most) {
  std::string list;
  for (std::size_t k = 0; k < std::min(items.size(), most); ++k) list += (k > 0 ? ", " : "") + items[k];
  if (items.size() > most) list += " and " + std::to_string(items.size() - most) + " more";
  return list;
}

std::vector<std::string_view> comma_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace clade

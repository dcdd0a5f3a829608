#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace clade::cli {

// The parts of a comma-separated argument; none if it is empty.
inline std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace clade::cli

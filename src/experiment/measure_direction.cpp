#include <clade/compare.h>

#include <algorithm>
#include <string>

namespace clade {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_cost(std::string_view word) {
  const std::string_view singular = word.ends_with('s') ? word.substr(0, word.size() - 1) : word;  // errors, times
  return word == "tie" || word == "brier" || word.starts_with("loss") || word.ends_with("loss") ||
         word.starts_with("error") || singular.ends_with("error") || singular.ends_with("time") ||
         singular.ends_with("second");
}

}  // namespace

Better better_direction(std::string_view measure) {
  std::string word;
  for (const char c : std::string(measure) + ' ') {
    if (is_letter(c)) {
      word += static_cast<char>(c | 0x20);  // to lower case
    } else if (is_cost(word)) {
      return Better::kLower;
    } else {
      word.clear();
    }
  }
  return Better::kHigher;
}

}  // namespace clade

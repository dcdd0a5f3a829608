#include <clade/names.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace clade {
namespace {

std::string plain(std::string_view word) {
  std::string result = lower_case(word);
  std::ranges::replace(result, '_', '-');
  return result;
}

// Letters to change, insert, remove or swap with their neighbour to get from one word to the other.
std::size_t edits(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kLongest = 200;  // longer words are no misspelt names
  const std::string wanted = plain(word.substr(0, kLongest));
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t distance = edits(wanted, plain(name));
    if (distance >= fewest) continue;
    fewest = distance;
    best = name;
  }
  return best;
}

std::string expected_name(std::string_view word, std::span<const std::string> names) {
  const std::string near = nearest_name(word, names);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return fmt::format("expected one of {}", fmt::join(names, ", "));
}

}  // namespace clade

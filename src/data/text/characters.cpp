#include "data/text/characters.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <charconv>

namespace clade {
namespace {

constexpr std::size_t kMostCharacters = 10;

}  // namespace

CharacterRuns character_runs(std::string_view text) {
  if (text.empty()) return {};
  const auto number = [](std::string_view part) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    return failure == std::errc() && end == part.data() + part.size() ? value : 0;
  };
  const std::size_t dash = text.find('-');
  CharacterRuns runs;
  runs.least = number(text.substr(0, dash));
  runs.most = dash == std::string_view::npos ? runs.least : number(text.substr(dash + 1));
  if (runs.least < 1 || runs.most < runs.least || runs.most > kMostCharacters) {
    throw usage_error(fmt::format("`characters` '{}'", text),
                      fmt::format("expected a number such as 3, or two such as 2-4, from 1 to {}", kMostCharacters));
  }
  return runs;
}

}  // namespace clade

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clade {

// The one of the names that a misspelt word most likely means, or nothing: at most a third of its letters may be wrong,
// missing, added or swapped. Case, '-' and '_' do not count. O(names x letters^2).
std::string nearest_name(std::string_view word, std::span<const std::string> names);

// What an error about an unknown word expects: "did you mean 'predict'?" if a name is near, otherwise all of them.
std::string expected_name(std::string_view word, std::span<const std::string> names);

}  // namespace clade

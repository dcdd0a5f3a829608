#pragma once

#include <clade/types.h>

#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// An element of a JSON array as it stands in the text, without blanks around it, and its line.
struct JsonElement {
  std::string_view text;
  Index line = 1;
};

// Is the text, after blanks and a byte order mark, a JSON array?
bool is_json_array(std::string_view text);

// The elements of the array that is the whole content of a file; they are views of it, and need not be well-formed
// themselves. Throws Error with the line where brackets, quotes or commas do not make an array. Does not recurse.
std::vector<JsonElement> json_array_elements(const Input& input);

}  // namespace clade

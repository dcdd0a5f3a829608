#pragma once

#include <clade/context.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "io/input.h"
#include "io/parsed.h"

namespace clade {

// What becomes of labels. A line of the file is `old -> new`, `old -> new1,new2` (a term that was split), or `old ->`
// (a term that was dropped). Names may stand in quotes, "a, b", with "" for a quote. Empty lines and lines that begin
// with # do not count.
using LabelMap = std::unordered_map<std::string, std::vector<std::string>>;

// Throws Error (kInput) with the line of the error, or if a label stands there twice.
LabelMap parse_label_map(const Input& input);

// Renames labels as a file states them, and notes how many. A sample gets each label once.
LabelNames with_mapped_labels(const LabelNames& labels, const LabelMap& map, std::vector<std::string>& notes);

}  // namespace clade

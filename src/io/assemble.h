#pragma once

#include <clade/io.h>

#include <optional>
#include <string>
#include <vector>

#include "io/parsed.h"

namespace clade {

// Turns what a reader hands over into a data set, in the same way for every format: the taxonomy is the one `given`,
// else the one the file carries, else the one its labels imply; label names become its nodes. `name` is the file's name
// in messages; `notes` says what was dropped. Throws Error with the line of a label that is not in the taxonomy.
Dataset assemble(ParsedData parsed, const std::string& name, const std::optional<Taxonomy>& given,
                 const ReadOptions& options, std::vector<std::string>& notes);

}  // namespace clade

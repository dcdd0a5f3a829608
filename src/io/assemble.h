#pragma once

#include <clade/io.h>

#include <optional>
#include <string>
#include <vector>

#include "io/parsed.h"

namespace clade {

// The way from what a reader hands on to a data set, the same for every format: the taxonomy is the one `given`, else
// the one the file carries, else the one its labels imply; label names become its nodes. `name` stands for the file in
// messages; what was dropped is said in `notes`. Throws Error with the line of a label that is not in the taxonomy.
Dataset assemble(ParsedData parsed, const std::string& name, const std::optional<Taxonomy>& given,
                 const ReadOptions& options, std::vector<std::string>& notes);

}  // namespace clade

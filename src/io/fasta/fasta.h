#pragma once

#include "io/format.h"

namespace clade {

// FASTA: sequences with names, and labels in their header lines or in --labels-file. docs/formats/fasta.md.
ParsedData read_fasta(const Input& input, const ReadOptions& options, Context& ctx);

}  // namespace clade

#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// MATLAB .mat files, level 5 and 7.3: docs/formats/mat.md says what is read and written, to the byte.
ParsedData read_mat(const Input& input, const ReadOptions& options, Context& ctx);
void write_mat(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
// A .mat file holds everything.
DataFormat::Holds mat_holds(const Dataset& data);

}  // namespace clade

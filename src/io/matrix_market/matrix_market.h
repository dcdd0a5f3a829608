#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// Matrix Market: docs/formats/matrix-market.md says what is read and written, to the byte.
ParsedData read_matrix_market(const Input& input, const ReadOptions& options, Context& ctx);
void write_matrix_market(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds matrix_market_holds(const Dataset& data);

}  // namespace clade

#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// ARFF, with the hierarchical class attribute of the HMC data sets. docs/formats/arff.md says what is read and written,
// to the byte.
ParsedData read_arff(const Input& input, const ReadOptions& options, Context& ctx);
TextRows find_arff_rows(const Input& head, const ReadOptions& options);
ParsedData read_arff_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx);
void write_arff(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds arff_holds(const Dataset& data);

}  // namespace clade

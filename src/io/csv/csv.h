#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// CSV and TSV: docs/formats/csv.md says what is read and written, to the byte. They differ only in the delimiter: a tab
// for TSV; for CSV, guessed from the first line when reading and a comma when writing.
ParsedData read_csv(const Input& input, const ReadOptions& options, Context& ctx);
ParsedData read_tsv(const Input& input, const ReadOptions& options, Context& ctx);
TextRows find_csv_rows(const Input& head, const ReadOptions& options);
TextRows find_tsv_rows(const Input& head, const ReadOptions& options);
ParsedData read_csv_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx);
ParsedData read_tsv_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx);
RowCheck check_csv_rows(const Input& input, const ReadOptions& options, Context& ctx);
RowCheck check_tsv_rows(const Input& input, const ReadOptions& options, Context& ctx);
void write_csv(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
void write_tsv(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds csv_holds(const Dataset& data);

}  // namespace clade

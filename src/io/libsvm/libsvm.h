#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// LIBSVM and SVMlight: docs/formats/libsvm.md says what is read and written, to the byte.
//
// Reading takes two passes over the bytes, both parallel over chunks of lines. The first counts, so that the matrix is
// allocated once and exactly; the second parses every value into its final place. Besides the result, it needs room
// only for the labels of the chunks and for the input pages in use. The error thrown is the first of the file, whatever
// the number of threads.
ParsedData read_libsvm(const Input& input, const ReadOptions& options, Context& ctx);
// The same with chunks of about `chunk_bytes`, which does not affect the result; for tests.
ParsedData read_libsvm_in_chunks(const Input& input, const ReadOptions& options, Context& ctx, std::size_t chunk_bytes);

// A compressed file, whose first window is the current one. Besides the result, two windows are in memory.
ParsedData read_libsvm_windows(TextWindows& windows, const ReadOptions& options, Context& ctx);

// Some of the rows: as many columns as they use.
TextRows find_libsvm_rows(const Input& head, const ReadOptions& options);
ParsedData read_libsvm_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx);

RowCheck check_libsvm_rows(const Input& input, const ReadOptions& options, Context& ctx);

void write_libsvm(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds libsvm_holds(const Dataset& data);

}  // namespace clade

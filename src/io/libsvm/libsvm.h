#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// LIBSVM and SVMlight: docs/formats/libsvm.md says what is read and written, to the byte.
//
// Reading takes two passes over the bytes, both parallel over chunks of lines. The first counts, so that the matrix is
// allocated once and exactly; the second parses every value into its final place. Beside the result there is room for
// the labels of the chunks and for the pages of the input at work, no more. The first error of the file is the one
// that is thrown, whatever the threads.
ParsedData read_libsvm(const Input& input, const ReadOptions& options, Context& ctx);
// The same with chunks of about `chunk_bytes`, which changes no result: for tests.
ParsedData read_libsvm_in_chunks(const Input& input, const ReadOptions& options, Context& ctx, std::size_t chunk_bytes);

void write_libsvm(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds libsvm_holds(const Dataset& data);

}  // namespace clade

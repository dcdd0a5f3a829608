#pragma once

#include "io/format.h"

namespace clade {

// A .tar file, plain or packed with gzip, bzip2, xz or zstd, with one document per member, read without unpacking it to
// disk: the words of one batch of members are counted while the next is unpacked. Rows are in the order of the paths.
ParsedData read_text_archive(const std::string& path, const ReadOptions& options, Context& ctx);
// The same from memory.
ParsedData read_text_archive_bytes(const Input& input, const ReadOptions& options, Context& ctx);

// There is nothing to read below options.under.
Error no_documents(const std::string& path, const ReadOptions& options);

}  // namespace clade

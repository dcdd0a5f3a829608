#pragma once

#include "io/format.h"

namespace clade {

// Raw text. docs/formats/text.md describes the layouts.
// A folder or a .tar archive (compressed or not) with one document per file; the class is the folder.
ParsedData read_text_folder(const std::string& path, const ReadOptions& options, Context& ctx);
// One document per line, labels in --labels-file.
ParsedData read_text_lines(const Input& input, const ReadOptions& options, Context& ctx);
RowCheck check_text_lines(const Input& input, const ReadOptions& options, Context& ctx);
// One JSON object per line with text or tokens, and labels.
ParsedData read_json_lines(const Input& input, const ReadOptions& options, Context& ctx);

RowCheck check_json_rows(const Input& input, const ReadOptions& options, Context& ctx);

// A .tar file, plain or compressed by gzip, bzip2, xz or zstd, with one document per member, read without unpacking it
// to disk: the words of one batch of members are counted while the next is unpacked. Rows are in the order of the
// paths.
ParsedData read_text_archive(const std::string& path, const ReadOptions& options, Context& ctx);
// The same from memory.
ParsedData read_text_archive_bytes(const Input& input, const ReadOptions& options, Context& ctx);

// The Error for a path without documents below options.under.
Error no_documents(const std::string& path, const ReadOptions& options);

}  // namespace clade

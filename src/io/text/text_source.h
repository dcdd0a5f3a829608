#pragma once

#include "io/format.h"

namespace clade {

// Raw text. docs/formats/text.md describes the layouts.
// A folder or a .tar archive (compressed or not) with one document per file; the class is the folder.
ParsedData read_text_folder(const std::string& path, const ReadOptions& options, Context& ctx);
// One document per line, labels in --labels-file.
ParsedData read_text_lines(const Input& input, const ReadOptions& options, Context& ctx);
// One JSON object per line with text or tokens, and labels.
ParsedData read_json_lines(const Input& input, const ReadOptions& options, Context& ctx);

}  // namespace clade

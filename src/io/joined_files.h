#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/format.h"
#include "io/input.h"

namespace clade {

// Several text files of one format as the text of one: a header once, then the rows of all.
struct JoinedFiles {
  struct Part {
    std::string file;
    Index first_line = 1;  // in the whole
    Index own_line = 1;    // the same line in the file
  };

  Input input;
  std::vector<Part> parts;

  // The place in its file of a place in the whole.
  Where origin(const Where& where) const;
};

// Throws Error (kInput) if the format is not made of lines, or the files have other columns or another hierarchy than
// the first.
JoinedFiles join_files(const std::vector<std::string>& paths, const DataFormat& format, const ReadOptions& options,
                       Context& ctx);

}  // namespace clade

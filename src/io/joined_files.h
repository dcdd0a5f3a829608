#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/format.h"
#include "io/input.h"

namespace clade {

// Where the lines of a file are among those of several files.
struct FileLines {
  std::string file;
  Index first_line = 1;  // in the whole
  Index own_line = 1;    // the same line in the file
};

// The place in its file of a place in the whole, which is called `name`.
Where origin(const std::vector<FileLines>& files, const std::string& name, const Where& where);

// What `work` on the whole gives; its errors are reported where they are in the files.
template <class Work>
auto with_own_places(const std::vector<FileLines>& files, const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.kind(), origin(files, name, error.where()), error.problem(), error.expected());
  }
}

// Several text files of one format as the text of one: a header once, then the rows of all.
struct JoinedFiles {
  Input input;
  std::vector<FileLines> files;
};

// Is the text of several files of this format that of one?
bool is_of_lines(const DataFormat& format);

// Sees to it that the rows of a file can follow those of the first, for each of which there is its beginning: all of
// its header and some rows. Throws Error (kInput) if the columns or the hierarchy differ.
void require_joinable(const Input& first, const Input& other, const DataFormat& format, const ReadOptions& options);

// The format is of lines, and `name` is that of the whole. Throws Error (kInput) if the files have other columns or
// another hierarchy than the first.
JoinedFiles join_files(const std::string& name, const std::vector<std::string>& paths, const DataFormat& format,
                       const ReadOptions& options, Context& ctx);

}  // namespace clade

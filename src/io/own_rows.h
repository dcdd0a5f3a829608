#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "comm/team.h"
#include "io/format.h"
#include "io/input.h"

namespace clade {

// What one of several processes reads: the rows of some files, or, where there are fewer files than processes, a range
// of the rows of one.
struct OwnRows {
  std::size_t file = 0;  // among all
  bool is_first = true;  // of the processes that read it
  Input head;            // the beginning of the file, or of the first one if that says how to read all
  Input rows;
};

// All files of a data set, and how they are read.
struct SharedFiles {
  const std::vector<std::string>& paths;
  const DataFormat& format;
  bool have_metas = false;  // each says by itself what it means; otherwise all must have the header of the first
  const ReadOptions& options;
};

// The files of this process, if there is one for each: consecutive ones.
std::vector<std::size_t> own_files(std::size_t files, const Team& team);

// All rows of a file. Throws Error (kInput).
OwnRows find_rows_of(std::size_t file, const SharedFiles& files, Context& ctx);

// Where there are fewer files than processes, which of them each process reads. Each file has consecutive processes,
// one at least, and as many as its size asks for.
std::vector<std::size_t> file_of_each(const std::vector<std::size_t>& sizes, int processes);

// The own range of each process; all processes call it. Throws Error (kInput).
OwnRows find_own_range(const SharedFiles& files, Team& team, Context& ctx);

}  // namespace clade

#pragma once

#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// A data set in parts: consecutive samples in each of the files NAME.part-0001-of-0004.ENDING.

// What the name of a file says about it.
struct PartName {
  std::string data_set;  // the name without what tells parts apart
  Index number = 0;      // from 1
  Index count = 0;
};
// Nothing if it is not the name of a part.
std::optional<PartName> part_name(std::string_view file_name);

// out.svm.gz as out.part-0001-of-0004.svm.gz.
std::string part_path(const std::string& path, Index number, Index count);

// A file beside `path` that is one of another number of parts of the same data set; empty: there is none.
std::string part_of_other_count(const std::string& path, Index count);

// The parts that the folder holds, in their order; nothing unless there are parts and no folders in it. Throws Error
// (kInput) if it holds other files beside them, or parts of several data sets, or lacks a part.
std::optional<std::vector<std::string>> parts_in(const std::string& folder);

}  // namespace clade

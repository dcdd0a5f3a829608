#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

struct Record {
  std::vector<std::string> fields;
  Index line = 0;
};

// The rows of a CSV or TSV file with a header, one after the other. Blank lines are skipped. A row that is not UTF-8,
// has an open quote, or has another number of fields than the header throws Error with its line. The input must outlive
// this.
class ResultsRecords {
 public:
  explicit ResultsRecords(const Input& input);
  const std::vector<std::string>& header() const { return header_.fields; }
  Index header_line() const { return header_.line; }
  // False at the end.
  bool next(Record& record);

 private:
  const Input& input_;
  std::string_view rest_;
  char delimiter_ = ',';
  Index line_ = 1;
  Record header_;
};

}  // namespace clade

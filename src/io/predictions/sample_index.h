#pragma once

#include <clade/dataset.h>
#include <clade/error.h>

#include <string_view>
#include <vector>

#include "io/predictions/name_table.h"

namespace clade {

// Which sample of a data set a text means: the one of that name where samples have names, else the one of that 0-based
// number. The numbers of a view are those of the whole data, as Dataset::sample_name gives them.
class SampleIndex {
 public:
  // Throws Error at `where` if two samples go by the same name. `data` must outlive the index.
  SampleIndex(const Dataset& data, const Where& where);

  // The sample, or -1. `before` is the one of the row before, -1 if there is none: rows mostly come in order, and then
  // nothing is looked up.
  Index find(std::string_view text, Index before) const { return named_ ? find_name(text, before) : find_number(text); }
  // The Error for a text that means none.
  Error unknown(std::string_view text, const Where& where) const;

 private:
  void add_names(const Where& where);
  std::string expected() const;
  Index find_name(std::string_view text, Index before) const;
  Index find_number(std::string_view text) const;

  const Dataset& data_;
  bool named_;
  NameTable names_;
  Index rows_ = 0;                // of the whole data
  std::vector<Index> sample_of_;  // by row of the whole data, -1: not in the view; empty: all rows in order
};

// A whole number of decimal digits alone; -1 if it is none or above `largest`.
inline Index parse_digits(std::string_view text, Index largest) {
  constexpr std::size_t kMostDigits = 18;  // always fit
  if (text.empty() || text.size() > kMostDigits) return -1;
  Index number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  return number <= largest ? number : -1;
}

}  // namespace clade

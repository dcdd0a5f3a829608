#pragma once

#include <clade/context.h>
#include <clade/io.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// A table whose cells are still text: what rows of CSV and JSON objects have in common. Cells are views of the file
// where possible.
struct CellTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::string_view> cells;           // row by row; a missing value has no data()
  std::vector<Index> lines;                      // per row, its line in the file
  std::vector<std::deque<std::string>> storage;  // of cells that do not stand in the file as they are
  bool is_ordered = true;                        // do the columns stand as in the file?
  std::string list_columns;                      // per column, '1' if some cell is a list

  Index rows() const { return static_cast<Index>(lines.size()); }
  Index width() const { return static_cast<Index>(columns.size()); }
  std::string_view cell(Index row, Index column) const {
    return cells[static_cast<std::size_t>(row * width() + column)];
  }
};

// A list within a cell (JSON): the mark, then its items, each followed by kItemEnd. Control characters do not occur in
// names.
constexpr char kListMark = '\x1D';
constexpr char kItemEnd = '\x1E';
constexpr char kPartEnd = '\x1F';  // between the parts of an item that is a list itself

inline bool is_list(std::string_view cell) {
  return cell.starts_with(kListMark);
}
// Calls visit(item) for the items of a list, or for a cell that is none.
template <class Visit>
void for_each_item(std::string_view cell, Visit&& visit) {
  if (!is_list(cell)) {
    if (!cell.empty()) visit(cell);
    return;
  }
  cell.remove_prefix(1);
  while (!cell.empty()) {
    const std::size_t end = cell.find(kItemEnd);
    if (end > 0) visit(cell.substr(0, end));
    cell.remove_prefix(end + 1);
  }
}

// Objects of JSON lines, or of one JSON array. Fields of nested objects are named outer.inner. Throws Error with the
// line of the first that is not an object. `notes` says what was left out.
CellTable json_records(const Input& input, const ReadOptions& options, std::vector<std::string>& notes, Context& ctx);

}  // namespace clade

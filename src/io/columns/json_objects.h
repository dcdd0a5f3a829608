#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace clade {

// JSON objects with their fields as columns, in the order in which they were first seen. Fields of nested objects are
// named outer.inner, down to four levels.
struct ObjectTable {
  std::vector<std::string> columns;
  std::unordered_map<std::string, Index> number;                      // of a column
  std::vector<std::vector<std::pair<Index, std::string_view>>> rows;  // cells; of equal columns the last counts
  std::vector<Index> lines;                                           // per row
  std::deque<std::string> storage;                                    // of the cells
  Index unused = 0;  // values that are neither texts nor numbers nor lists of these
};

// Adds objects to a table while they are parsed, without making documents of them.
class JsonObjectReader {
 public:
  explicit JsonObjectReader(ObjectTable& table);
  ~JsonObjectReader();
  JsonObjectReader(const JsonObjectReader&) = delete;
  JsonObjectReader& operator=(const JsonObjectReader&) = delete;

  // Adds a row. Throws Error at `where` if the text is not one JSON object; the table is then as before, except that it
  // may have more columns.
  void add(std::string_view text, const Where& where);

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
};

// A JSON parser's complaint, in words: "number 1e999 is too large" or "not well-formed JSON".
std::string json_problem(int exception_number, std::string_view last_token);

}  // namespace clade

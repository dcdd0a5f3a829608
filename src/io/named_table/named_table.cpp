#include "io/named_table/named_table.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

using Places = std::unordered_map<std::string_view, std::size_t>;

std::vector<std::string> fields_of(std::string_view record, const Where& where) {
  std::vector<std::string> fields;
  const char* at = record.data();
  const char* const end = at + record.size();
  for (;;) {
    const CsvField field = take_csv_field(at, end, ',');
    if (!field.closed) throw input_error(where, "a quote is not closed", "expected \"...\" around a field");
    std::string scratch;
    fields.emplace_back(csv_field_text(field, scratch));
    if (at == end) return fields;
    ++at;
  }
}

Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (std::size_t k = 0; k < names.size(); ++k) places.emplace(names[k], k);
  return places;
}

std::vector<std::size_t> places_for(const std::vector<std::string>& wanted, const std::vector<std::string>& have,
                                    std::string_view kind, const std::string& file) {
  const Places places = places_of(have);
  std::vector<std::size_t> found;
  for (const std::string& name : wanted) {
    const auto at = places.find(name);
    if (at == places.end()) {
      throw input_error({.file = file}, fmt::format("no {} '{}'", kind, name), "expected one for every class");
    }
    found.push_back(at->second);
  }
  return found;
}

}  // namespace

std::vector<std::vector<double>> NamedTable::rows_for(const std::vector<std::string>& names) const {
  std::vector<std::vector<double>> result;
  for (const std::size_t r : places_for(names, rows, "row", file)) result.push_back(values[r]);
  return result;
}

std::vector<std::vector<double>> NamedTable::square_for(const std::vector<std::string>& names) const {
  const std::vector<std::size_t> chosen = places_for(names, columns, "column", file);
  std::vector<std::vector<double>> result;
  for (const auto& row : rows_for(names)) {
    auto& values_of_row = result.emplace_back();
    for (const std::size_t c : chosen) values_of_row.push_back(row[c]);
  }
  return result;
}

NamedTable parse_named_table(const Input& input) {
  NamedTable table;
  table.file = input.name();
  std::string_view rest = without_byte_order_mark(input.bytes());
  Index line = 1;
  bool has_header = false;
  std::unordered_map<std::string, Index> seen;
  while (!rest.empty()) {
    Index lines = 0;
    const std::string_view record = take_csv_record(rest, ',', lines);
    const Where where = input.at_line(line);
    line += lines;
    if (trim(record).empty()) continue;
    if (const std::size_t bad = first_invalid_utf8(record); bad != std::string_view::npos) {
      throw input_error(where, "a byte that is no UTF-8", "expected text in UTF-8");
    }
    std::vector<std::string> fields = fields_of(record, where);
    if (!has_header) {
      has_header = true;
      table.columns.assign(fields.begin() + 1, fields.end());
      std::vector<std::string> sorted = table.columns;
      std::sort(sorted.begin(), sorted.end());
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      if (twice != sorted.end()) {
        throw input_error(where, fmt::format("the column '{}' comes twice", shown(*twice)), "expected different names");
      }
      continue;
    }
    if (fields.size() != table.columns.size() + 1) {
      throw input_error(where, fmt::format("{} fields", fields.size()),
                        fmt::format("expected a name and {} numbers, as in the header", table.columns.size()));
    }
    if (!seen.emplace(fields[0], line).second) {
      throw input_error(where, fmt::format("the row '{}' comes twice", shown(fields[0])), "expected different names");
    }
    std::vector<double>& values = table.values.emplace_back();
    for (std::size_t k = 1; k < fields.size(); ++k) {
      double value = 0;
      if (parse_whole_number(fields[k], value) != NumberStatus::kOk) {
        throw input_error(where, fmt::format("'{}' is no number", shown(fields[k])), "expected finite numbers");
      }
      values.push_back(value);
    }
    table.rows.push_back(std::move(fields[0]));
  }
  if (table.rows.empty()) {
    throw input_error({.file = input.name()}, "no rows", "expected a header, then a name and numbers per line");
  }
  return table;
}

NamedTable read_named_table(const std::string& path, Context& ctx) {
  return parse_named_table(Input::open(path, ctx));
}

}  // namespace clade

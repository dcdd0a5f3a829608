#include "io/kept_columns.h"

#include <clade/error.h>
#include <clade/names.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

using Row = std::vector<nlohmann::json>;

Error unknown_column(const Input& input, const std::string& column, const std::vector<std::string>& known) {
  return input_error({.file = input.name()}, fmt::format("`keep`: no column '{}'", column),
                     expected_name(column, known));
}

std::vector<Row> kept_of_csv(const Input& input, char delimiter, const std::vector<std::string>& columns,
                             const ReadOptions& options) {
  std::vector<std::string> notes;
  const DelimitedText text = DelimitedText::of(input, options, "expected a header row", notes);
  const CsvLayout layout = read_csv_layout(text, options, delimiter, notes);
  if (!layout.header) {
    throw input_error({.file = input.name()}, "`keep` finds columns by name, and there is no header row",
                      "expected one");
  }
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(layout.names, column);
    if (found == layout.names.end()) throw unknown_column(input, column, layout.names);
    places.push_back(static_cast<std::size_t>(found - layout.names.begin()));
  }
  std::vector<Row> rows;
  std::string_view rest = text.text.substr(layout.data_begin);
  std::vector<std::string> fields;
  std::string unquoted;
  std::string decoded;
  while (!rest.empty()) {
    Index lines = 1;
    const std::string_view record = take_csv_record(rest, layout.delimiter, lines);
    if (record.empty()) continue;
    fields.clear();
    const char* at = record.data();
    const char* const end = at + record.size();
    for (;; ++at) {
      const CsvField field = take_csv_field(at, end, layout.delimiter);
      fields.emplace_back(text.decoded(csv_field_text(field, unquoted), decoded));
      if (at == end) break;
    }
    Row& row = rows.emplace_back();
    for (const std::size_t place : places) {
      row.push_back(place < fields.size() ? nlohmann::json(fields[place]) : nlohmann::json(""));
    }
  }
  return rows;
}

std::vector<nlohmann::json> json_objects(std::string_view text) {
  std::vector<nlohmann::json> objects;
  if (trim(text).starts_with('[')) {
    for (nlohmann::json& object : parse_json(text)) objects.push_back(std::move(object));
    return objects;
  }
  while (!text.empty()) {
    const std::string_view line = trim(take_line(text));
    if (!line.empty()) objects.push_back(parse_json(line));
  }
  return objects;
}

std::vector<Row> kept_of_json(const Input& input, const std::vector<std::string>& columns) {
  // The reader has accepted them already, apart from odd bytes.
  std::vector<nlohmann::json> objects;
  try {
    objects = json_objects(without_byte_order_mark(input.bytes()));
  } catch (const nlohmann::json::exception&) {
    throw input_error({.file = input.name()}, "`keep`: a line that is not JSON in UTF-8", "expected an object");
  }
  std::set<std::string> known;
  for (const nlohmann::json& object : objects) {
    for (const auto& [name, value] : object.items()) known.insert(name);
  }
  for (const std::string& column : columns) {
    if (!known.contains(column)) throw unknown_column(input, column, {known.begin(), known.end()});
  }
  std::vector<Row> rows;
  for (const nlohmann::json& object : objects) {
    Row& row = rows.emplace_back();
    for (const std::string& column : columns) row.push_back(object.value(column, nlohmann::json()));
  }
  return rows;
}

}  // namespace

std::vector<Row> kept_columns(std::string_view format, const Input& input, const std::vector<std::string>& columns,
                              const ReadOptions& options) {
  if (format == "csv") return kept_of_csv(input, '\0', columns, options);
  if (format == "tsv") return kept_of_csv(input, '\t', columns, options);
  if (format == "json-lines") return kept_of_json(input, columns);
  throw usage_error(fmt::format("`keep` copies columns of tables, and the format is {}", format),
                    "expected CSV or JSON lines");
}

}  // namespace clade

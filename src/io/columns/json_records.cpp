#include <fmt/format.h>

#include <unordered_map>

#include "core/parallel.h"
#include "io/columns/cell_table.h"
#include "io/columns/json_objects.h"
#include "io/json_array.h"
#include "io/lines.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

ObjectTable lines_of(const Input& input, const ReadOptions& options, std::string_view text, Index line,
                     DocumentDecoder::Tally& tally) {
  ObjectTable table;
  DocumentDecoder decoder(options.encoding);
  JsonObjectReader reader(table);
  for (; !text.empty(); ++line) {
    std::string_view bytes = take_line(text);
    if (line == 1) bytes = without_byte_order_mark(bytes);
    if (trim(bytes).empty()) continue;
    const Where where = input.at_line(line);
    reader.add(decoder.decode(bytes, where), where);
  }
  tally = decoder.tally();
  return table;
}

ObjectTable elements_of(const Input& input, const ReadOptions& options, DocumentDecoder::Tally& tally) {
  ObjectTable table;
  DocumentDecoder decoder(options.encoding);
  JsonObjectReader reader(table);
  for (const JsonElement& element : json_array_elements(input)) {
    const Where where = input.at_line(element.line);
    reader.add(decoder.decode(element.text, where), where);
  }
  tally = decoder.tally();
  return table;
}

std::vector<ObjectTable> tables_of(const Input& input, const ReadOptions& options, DocumentDecoder::Tally& tally,
                                   Context& ctx) {
  const std::string_view text = input.bytes();
  std::vector<ObjectTable> tables(1);
  if (is_json_array(text)) {
    tables[0] = elements_of(input, options, tally);
    return tables;
  }
  const std::vector<LineChunk> chunks = line_chunks(text, 0, WordCounter::kChunkBytes);
  const std::vector<Index> first_line = first_lines(text, chunks, ctx);
  tables.resize(chunks.size());
  std::vector<DocumentDecoder::Tally> tallies(chunks.size());
  parallel_for(ctx, std::ssize(chunks), 1, [&](Index k, Index) {
    const auto c = static_cast<std::size_t>(k);
    tables[c] = lines_of(input, options, text.substr(chunks[c].begin, chunks[c].end - chunks[c].begin), first_line[c],
                         tallies[c]);
  });
  for (const auto& part : tallies) tally.add(part);
  return tables;
}

}  // namespace

CellTable json_records(const Input& input, const ReadOptions& options, std::vector<std::string>& notes, Context& ctx) {
  DocumentDecoder::Tally tally;
  std::vector<ObjectTable> tables = tables_of(input, options, tally, ctx);
  tally.note(notes);
  CellTable records;
  records.file = input.name();
  records.is_ordered = false;
  std::unordered_map<std::string, std::size_t> number;
  Index unused = 0;
  for (const ObjectTable& table : tables) {
    unused += table.unused;
    for (const std::string& name : table.columns) {
      if (number.try_emplace(name, records.columns.size()).second) records.columns.push_back(name);
    }
  }
  constexpr std::size_t kMostColumns = 10'000;
  if (records.columns.size() > kMostColumns) {
    throw input_error({.file = records.file},
                      fmt::format("the objects have {} different fields", records.columns.size()),
                      fmt::format("expected at most {}: fields are columns of a table", kMostColumns));
  }
  if (unused > 0) notes.push_back(fmt::format("{} values inside lists or deep objects were left out", unused));
  records.list_columns.assign(records.columns.size(), '0');
  for (ObjectTable& table : tables) {
    std::vector<std::size_t> place;
    for (const std::string& name : table.columns) place.push_back(number[name]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::size_t begin = records.cells.size();
      records.cells.resize(begin + records.columns.size());
      for (const auto& [column, cell] : table.rows[r]) {
        const std::size_t at = place[static_cast<std::size_t>(column)];
        records.cells[begin + at] = cell;
        if (is_list(cell)) records.list_columns[at] = '1';
      }
    }
    records.lines.insert(records.lines.end(), table.lines.begin(), table.lines.end());
    records.storage.push_back(std::move(table.storage));
  }
  return records;
}

}  // namespace clade

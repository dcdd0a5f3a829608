#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/json.h"
#include "core/parallel.h"
#include "io/columns/cell_table.h"
#include "io/lines.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr int kDeepestFields = 4;  // outer.inner.and.so

// Objects with their fields, in the order in which they were first seen.
struct ObjectTable {
  std::vector<std::string> columns;
  std::unordered_map<std::string, Index> number;
  std::vector<std::vector<std::pair<Index, std::string_view>>> rows;
  std::vector<Index> lines;
  std::deque<std::string> storage;
  Index unused = 0;  // values that are neither texts nor numbers nor lists of these

  void add(const json& object, Index line) {
    rows.emplace_back();
    lines.push_back(line);
    add_fields(object, "", 1);
  }

 private:
  void add_fields(const json& object, const std::string& prefix, int depth) {
    for (const auto& [key, value] : object.items()) {
      const std::string name = prefix + key;
      if (value.is_object() && depth < kDeepestFields) {
        add_fields(value, name + ".", depth + 1);
        continue;
      }
      const auto [place, is_new] = number.try_emplace(name, std::ssize(columns));
      if (is_new) columns.push_back(name);
      std::string cell;
      if (value.is_array()) {
        cell = list_of(value);
      } else if (!value.is_null()) {
        cell = text_of(value);
      }
      if (!cell.empty()) rows.back().emplace_back(place->second, storage.emplace_back(std::move(cell)));
    }
  }

  std::string text_of(const json& value) {
    if (value.is_string()) return std::string(trim(value.get_ref<const std::string&>()));
    if (value.is_number() || value.is_boolean()) return dump_json(value);
    ++unused;
    return {};
  }

  std::string list_of(const json& list) {
    std::string cell(1, kListMark);
    for (const json& item : list) {
      if (item.is_array()) {
        for (std::size_t k = 0; k < item.size(); ++k) {
          if (k > 0) cell += kPartEnd;
          cell += text_of(item[k]);
        }
      } else if (!item.is_null()) {
        cell += text_of(item);
      }
      cell += kItemEnd;
    }
    return list.empty() ? std::string() : cell;
  }
};

json parsed(std::string_view text, const Where& where, std::string_view expected) {
  try {
    return parse_json(text);
  } catch (const json::exception&) {
    throw input_error(where, "not well-formed JSON", expected);
  }
}

void refuse_other_than_object(const json& value, const Where& where) {
  if (!value.is_object()) throw input_error(where, "not a JSON object", "expected one object per line");
}

ObjectTable lines_of(const Input& input, const ReadOptions& options, std::string_view text, Index line,
                     DocumentDecoder::Tally& tally) {
  ObjectTable table;
  DocumentDecoder decoder(options.encoding);
  for (; !text.empty(); ++line) {
    std::string_view bytes = take_line(text);
    if (line == 1) bytes = without_byte_order_mark(bytes);
    if (trim(bytes).empty()) continue;
    const Where where = input.at_line(line);
    const json object = parsed(decoder.decode(bytes, where), where, "expected one JSON object per line");
    refuse_other_than_object(object, where);
    table.add(object, line);
  }
  tally = decoder.tally();
  return table;
}

std::vector<ObjectTable> tables_of(const Input& input, const ReadOptions& options, DocumentDecoder::Tally& tally,
                                   Context& ctx) {
  const std::string_view text = input.bytes();
  if (trim(without_byte_order_mark(text)).starts_with('[')) {
    const Where where{.file = input.name()};
    DocumentDecoder decoder(options.encoding);
    const json list = parsed(decoder.decode(without_byte_order_mark(text), where), where,
                             "expected a JSON array of objects, or one object per line");
    std::vector<ObjectTable> tables(1);
    for (const json& object : list) {
      refuse_other_than_object(object, where);
      tables[0].add(object, std::ssize(tables[0].lines) + 1);
    }
    tally = decoder.tally();
    return tables;
  }
  const std::vector<LineChunk> chunks = line_chunks(text, 0, WordCounter::kChunkBytes);
  const std::vector<Index> first_line = first_lines(text, chunks, ctx);
  std::vector<ObjectTable> tables(chunks.size());
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
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::size_t begin = records.cells.size();
      records.cells.resize(begin + records.columns.size());
      for (const auto& [column, cell] : table.rows[r]) {
        const std::size_t at = number[table.columns[static_cast<std::size_t>(column)]];
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

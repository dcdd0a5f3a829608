#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/parallel.h"
#include "io/bad_rows.h"
#include "io/columns/column_plan.h"
#include "io/columns/json_objects.h"
#include "io/columns/read_records.h"
#include "io/json_array.h"
#include "io/lines.h"
#include "io/text/json_record.h"
#include "io/text/text_features.h"
#include "io/text/text_source.h"

namespace clade {
namespace {

struct JsonTally {
  Index unlabelled = 0;
  Index both_contents = 0;
  DocumentDecoder::Tally decoded;
};

void require_text(const JsonRecord& record, const ReadOptions& options, const Where& where) {
  if (record.text.present || record.tokens.present) return;
  throw input_error(where, "no text in this object",
                    "expected a field '" + options.text_field + "' or '" + options.token_field + "'");
}

// The documents of a run of lines.
class JsonLines {
 public:
  JsonLines(const Input& input, const ReadOptions& options, const TextOptions& text)
      : input_(input), options_(options), counter_(text), decoder_(options.encoding), reader_(options) {}

  void read(std::string_view text, Index first_line) {
    JsonRecord record;
    for (Index line = first_line; !text.empty(); ++line) {
      std::string_view bytes = take_line(text);
      if (line == 1) bytes = without_byte_order_mark(bytes);
      if (trim(bytes).empty()) continue;
      const Where where = input_.at_line(line);
      reader_.read(decoder_.decode(bytes, where), where, record);
      add(record, where);
    }
  }

  WordCounts take_counts() { return std::move(counter_).take(); }
  const LabelNames& labels() const { return labels_; }
  JsonTally tally() const {
    JsonTally tally = tally_;
    tally.decoded = decoder_.tally();
    return tally;
  }

 private:
  void add(const JsonRecord& record, const Where& where) {
    require_text(record, options_, where);
    if (record.text.present && record.tokens.present) ++tally_.both_contents;
    add_content(record.text.present ? record.text : record.tokens);
    counter_.end_document();

    for (const std::string& label : record.labels) labels_.add(label, where.line);
    labels_.end_sample();
    if (record.labels.empty()) ++tally_.unlabelled;
  }

  void add_content(const JsonRecord::Content& content) {
    if (!content.is_list) return counter_.add_text(content.bytes);
    std::size_t begin = 0;
    for (const std::size_t end : content.ends) {
      counter_.add_token(std::string_view(content.bytes).substr(begin, end - begin));
      begin = end;
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  WordCounter counter_;
  DocumentDecoder decoder_;
  JsonRecordReader reader_;
  LabelNames labels_;
  JsonTally tally_;
};

// One text with labels, or objects with columns of several kinds? The first object decides.
bool has_columns(const Input& input, const ReadOptions& options) {
  if (options.text.sequences || (options.vectorizer && options.vectorizer->options.sequences)) return false;
  if (asks_for_columns(options)) return true;
  if (options.vectorizer) return false;
  std::string_view rest = without_byte_order_mark(input.bytes());
  while (!rest.empty() && trim(rest.substr(0, rest.find('\n'))).empty()) take_line(rest);
  if (rest.empty()) return false;
  if (trim(rest).starts_with('[')) return true;
  const nlohmann::json first = json_or_string(std::string(take_line(rest)));
  if (!first.is_object() || first.empty()) return false;
  const ReadOptions defaults;
  const bool is_named = options.text_field != defaults.text_field || options.token_field != defaults.token_field ||
                        options.label_field != defaults.label_field;
  const bool has_text = first.contains(options.text_field) || first.contains(options.token_field);
  if (is_named) return false;
  if (!has_text || !options.label_column.empty()) return true;
  if (first.contains(options.label_field)) return false;
  std::vector<std::string> columns;
  for (const auto& [key, value] : first.items()) columns.push_back(key);
  return has_label_name(columns);
}

void add_notes(const JsonTally& tally, const ReadOptions& options, std::vector<std::string>& notes) {
  tally.decoded.note(notes);
  if (tally.unlabelled > 0 && !options.known_classes) {  // a model reads new documents, too
    notes.push_back(counted(tally.unlabelled, "document") + " without a label in '" + options.label_field + "'");
  }
  if (tally.both_contents > 0) {
    notes.push_back(counted(tally.both_contents, "document") + " with both '" + options.text_field + "' and '" +
                    options.token_field + "': the first was read");
  }
}

// Calls check(line, where) for each line that is not blank, and keeps the lines for which it throws.
template <class Check>
RowCheck check_lines(const Input& input, const ReadOptions& options, Check&& check) {
  RowCheck result;
  DocumentDecoder decoder(options.encoding);
  std::string_view rest = input.bytes();
  for (Index line = 1; !rest.empty(); ++line) {
    std::string_view bytes = take_line(rest);
    if (line == 1) bytes = without_byte_order_mark(bytes);
    if (trim(bytes).empty()) continue;
    ++result.rows;
    const Where where = input.at_line(line);
    try {
      check(decoder.decode(bytes, where), where);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      result.bad.push_back({.row = result.rows - 1, .line = line, .lines = 1, .reason = error.problem()});
    }
  }
  return result;
}

}  // namespace

// First what is no object, so that the others can tell whether they have columns; then what they lack.
RowCheck check_json_rows(const Input& input, const ReadOptions& options, Context& ctx) {
  if (is_json_array(input.bytes())) {
    throw input_error({.file = input.name()}, "`skip-bad` has no effect on a JSON array",
                      "expected one object per line");
  }
  ObjectTable objects;
  JsonObjectReader object_reader(objects);
  RowCheck result = check_lines(input, options, [&](std::string_view text, const Where& where) {
    object_reader.add(text, where);
    objects = {};
  });
  if (result.rows == std::ssize(result.bad)) return result;
  const Input well_formed = Input::from_bytes(input.name(), without_lines(input.bytes(), result.bad, true));
  std::vector<BadRow> others;
  if (has_columns(well_formed, options)) {
    std::vector<std::string> ignored;
    others = bad_records(json_records(well_formed, options, ignored, ctx), options);
  } else {
    JsonRecordReader reader(options);
    JsonRecord record;
    others = check_lines(well_formed, options, [&](std::string_view text, const Where& where) {
               reader.read(text, where, record);
               require_text(record, options, where);
             }).bad;
  }
  add_findings(std::move(others), result);
  return result;
}

ParsedData read_json_lines(const Input& input, const ReadOptions& options, Context& ctx) {
  if (has_columns(input, options)) {
    std::vector<std::string> notes;
    const CellTable records = json_records(input, options, notes, ctx);
    return read_records(records, options, std::move(notes), ctx);
  }
  TextFeatures features(options, ctx);
  const std::string_view text = input.bytes();
  const std::vector<LineChunk> chunks = line_chunks(text, 0, WordCounter::kChunkBytes);
  const std::vector<Index> first_line = first_lines(text, chunks, ctx);

  std::vector<WordCounts> counts(chunks.size());
  std::vector<LabelNames> labels(chunks.size());
  std::vector<JsonTally> tallies(chunks.size());
  parallel_for(ctx, static_cast<Index>(chunks.size()), 1, [&](Index chunk, Index) {
    const auto c = static_cast<std::size_t>(chunk);
    JsonLines lines(input, options, features.text_options());
    lines.read(text.substr(chunks[c].begin, chunks[c].end - chunks[c].begin), first_line[c]);
    counts[c] = lines.take_counts();
    labels[c] = lines.labels();
    tallies[c] = lines.tally();
  });

  ParsedData data;
  JsonTally total;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    data.labels.append(labels[c]);
    total.decoded.add(tallies[c].decoded);
    total.unlabelled += tallies[c].unlabelled;
    total.both_contents += tallies[c].both_contents;
  }
  add_notes(total, options, data.notes);
  features.finish(std::move(counts), {}, input.name(), data, ctx);
  return data;
}

}  // namespace clade

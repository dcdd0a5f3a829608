// Samples of text files, copied without reading their values.
#include <clade/io.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/delimited.h"
#include "io/input.h"
#include "io/json_array.h"
#include "io/meta.h"

namespace clade {
namespace {

bool is_table(const DataFormat& format) {
  return format.name == "csv" || format.name == "tsv";
}

// A file as it is cut into samples: what stands before the first one, and each sample with its line end.
struct Records {
  std::string_view head;
  std::vector<std::string_view> samples;
  std::vector<Index> lines;  // of the samples
  CsvLayout layout;          // of tables
  bool is_array = false;     // elements of a JSON array
};

Records table_records(const Input& input, const DataFormat& format, const ReadOptions& options) {
  std::vector<std::string> ignored;
  const DelimitedText text = DelimitedText::of(input, options, "expected a header row or rows", ignored);
  Records records;
  records.layout = read_csv_layout(text, options, format.name == "tsv" ? '\t' : '\0', ignored);
  records.head = text.text.substr(0, records.layout.data_begin);
  std::string_view rest = text.text.substr(records.layout.data_begin);
  for (Index line = records.layout.data_line; !rest.empty();) {
    Index lines = 0;
    const std::string_view whole = rest;
    const bool blank = trim(take_csv_record(rest, records.layout.delimiter, lines)).empty();
    if (!blank) {
      records.samples.push_back(whole.substr(0, whole.size() - rest.size()));
      records.lines.push_back(line);
    }
    line += lines;
  }
  return records;
}

Records array_records(const Input& input) {
  Records records;
  records.is_array = true;
  for (const JsonElement& element : json_array_elements(input)) {
    records.samples.push_back(element.text);
    records.lines.push_back(element.line);
  }
  return records;
}

Records line_records(const Input& input, bool comments) {
  Records records;
  std::string_view rest = without_byte_order_mark(input.bytes());
  for (Index line = 1; !rest.empty(); ++line) {
    const std::string_view whole = rest;
    const std::string_view content = trim(take_line(rest));
    if (content.empty() || (comments && content.starts_with('#'))) continue;
    records.samples.push_back(whole.substr(0, whole.size() - rest.size()));
    records.lines.push_back(line);
  }
  return records;
}

Records records_of(const Input& input, const DataFormat& format, const ReadOptions& options) {
  if (format.name == "json-lines" && is_json_array(input.bytes())) return array_records(input);
  return is_table(format) ? table_records(input, format, options) : line_records(input, format.name == "libsvm");
}

Error no_sample(const std::string& path, Index sample, std::size_t samples) {
  return input_error({.file = path}, fmt::format("sample {} of {}", sample, samples), "expected one that is there");
}

std::string field_of(std::string_view line, const std::string& path, Index number, const std::string& field) {
  const nlohmann::json object = json_or_string(std::string(line));
  const Where where{.file = path, .line = number};
  if (!object.is_object()) throw input_error(where, "not a JSON object", "expected one per line");
  const auto found = object.find(field);
  if (found == object.end()) throw input_error(where, fmt::format("no field '{}'", field), "expected one");
  return found->is_string() ? found->get<std::string>() : dump_json(*found, -1, InvalidUtf8::Refuse);
}

Index column_of(const CsvLayout& layout, const std::string& path, const std::string& name) {
  const auto named = std::ranges::find(layout.names, name);
  if (named != layout.names.end()) return named - layout.names.begin();
  const Index number = column_number(name);
  if (number >= 1 && number <= layout.columns) return number - 1;
  throw input_error({.file = path}, fmt::format("no column '{}'", name), "expected the name or number of a column");
}

}  // namespace

bool copies_samples(const std::string& path, const ReadOptions& options, Context& ctx) {
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  // The hierarchy of text is copied, too; names would be lost.
  if (std::filesystem::exists(meta_path(path)) && !text_meta_taxonomy(path, ctx)) return false;
  return is_table(format) || format.name == "libsvm" || format.name == "json-lines";
}

void copy_samples(const std::string& path, const ReadOptions& options, std::span<const Index> samples,
                  const std::string& output, bool overwrite, Context& ctx) {
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  const GoodRows good = good_rows(Input::open(path, ctx), format, options, ctx);
  const Records records = records_of(good.input, format, options);
  OutputFile file(output, overwrite);
  MarkingSink marking(file);
  write_through(output, marking, [&](Sink& sink) {
    sink.write(records.is_array ? "[\n" : records.head);
    bool is_first = true;
    for (const Index s : samples) {
      if (records.is_array && !is_first) sink.write(",\n");
      is_first = false;
      if (s < 0 || s >= std::ssize(records.samples)) throw no_sample(path, s, records.samples.size());
      const std::string_view sample = records.samples[static_cast<std::size_t>(s)];
      sink.write(sample);
      if (!records.is_array && !sample.ends_with('\n')) sink.write("\n");  // the last line of the file
    }
    if (records.is_array) sink.write("\n]\n");
  });
  file.finish();
  const auto taxonomy = text_meta_taxonomy(path, ctx);
  if (taxonomy && file.is_regular()) {
    OutputFile meta(meta_path(output), overwrite);
    meta.write(text_meta_content(*taxonomy, std::ssize(samples), marking.mark()));
    meta.commit();
    file.commit();
  } else {
    commit_without_meta(file, overwrite);
  }
}

std::vector<ColumnCell> read_column(const std::string& path, const ReadOptions& options, const std::string& column,
                                    Context& ctx) {
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  if (!is_table(format) && format.name != "json-lines") {
    throw input_error({.file = path}, fmt::format("{} has no column '{}'", format.name, column),
                      "expected CSV, TSV or JSON lines");
  }
  const GoodRows good = good_rows(Input::open(path, ctx), format, options, ctx);
  const Records records = records_of(good.input, format, options);
  std::vector<ColumnCell> texts;
  texts.reserve(records.samples.size());
  if (!is_table(format)) {
    for (std::size_t k = 0; k < records.samples.size(); ++k) {
      texts.push_back({field_of(records.samples[k], path, records.lines[k], column), records.lines[k]});
    }
    return texts;
  }
  const Index wanted = column_of(records.layout, path, column);
  std::string scratch;
  for (std::string_view record : records.samples) {
    while (record.ends_with('\n') || record.ends_with('\r')) record.remove_suffix(1);
    const char* at = record.data();
    const char* end = at + record.size();
    CsvField field = take_csv_field(at, end, records.layout.delimiter);
    for (Index c = 0; c < wanted && at != end; ++c) field = take_csv_field(++at, end, records.layout.delimiter);
    texts.push_back({std::string(csv_field_text(field, scratch)), records.lines[texts.size()]});
  }
  return texts;
}

}  // namespace clade

// Samples of text files, copied without reading their values.
#include <clade/io.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/choose_format.h"
#include "io/compress.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/delimited.h"
#include "io/input.h"
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
  CsvLayout layout;  // of tables
};

Records table_records(const Input& input, const DataFormat& format, const ReadOptions& options) {
  std::vector<std::string> ignored;
  const DelimitedText text = DelimitedText::of(input, options, "expected a header row or rows", ignored);
  Records records;
  records.layout = read_csv_layout(text, options, format.name == "tsv" ? '\t' : '\0', ignored);
  records.head = text.text.substr(0, records.layout.data_begin);
  std::string_view rest = text.text.substr(records.layout.data_begin);
  while (!rest.empty()) {
    Index lines = 0;
    const std::string_view whole = rest;
    const bool blank = trim(take_csv_record(rest, records.layout.delimiter, lines)).empty();
    if (!blank) records.samples.push_back(whole.substr(0, whole.size() - rest.size()));
  }
  return records;
}

Records line_records(const Input& input, bool comments) {
  Records records;
  std::string_view rest = without_byte_order_mark(input.bytes());
  while (!rest.empty()) {
    const std::string_view whole = rest;
    const std::string_view content = trim(take_line(rest));
    if (content.empty() || (comments && content.starts_with('#'))) continue;
    records.samples.push_back(whole.substr(0, whole.size() - rest.size()));
  }
  return records;
}

Records records_of(const Input& input, const DataFormat& format, const ReadOptions& options) {
  return is_table(format) ? table_records(input, format, options) : line_records(input, format.name == "libsvm");
}

Error no_sample(const std::string& path, Index sample, std::size_t samples) {
  return input_error({.file = path}, fmt::format("sample {} of {}", sample, samples), "expected one that is there");
}

std::string field_of(std::string_view line, const std::string& path, Index number, const std::string& field) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  const Where where{.file = path, .line = number};
  if (!object.is_object()) throw input_error(where, "not a JSON object", "expected one per line");
  const auto found = object.find(field);
  if (found == object.end()) throw input_error(where, fmt::format("no field '{}'", field), "expected one");
  return found->is_string() ? found->get<std::string>() : found->dump();
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
  if (std::filesystem::exists(meta_path(path))) return false;  // its names would be lost
  if (is_table(format) || format.name == "libsvm") return true;
  // A list of JSON objects has no line per sample.
  return format.name == "json-lines" && trim(without_byte_order_mark(Input::open(path, ctx).bytes())).starts_with('{');
}

void copy_samples(const std::string& path, const ReadOptions& options, std::span<const Index> samples,
                  const std::string& output, bool overwrite, Context& ctx) {
  const Input input = Input::open(path, ctx);
  const Records records = records_of(input, choose_data_format(path, options.format, ctx), options);
  OutputFile file(output, overwrite);
  write_through(file, [&](Sink& sink) {
    sink.write(records.head);
    for (const Index s : samples) {
      if (s < 0 || s >= std::ssize(records.samples)) throw no_sample(path, s, records.samples.size());
      const std::string_view sample = records.samples[static_cast<std::size_t>(s)];
      sink.write(sample);
      if (!sample.ends_with('\n')) sink.write("\n");  // the last line of the file
    }
  });
  file.commit();
}

std::vector<std::string> read_column(const std::string& path, const ReadOptions& options, const std::string& column,
                                     Context& ctx) {
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  if (!is_table(format) && format.name != "json-lines") {
    throw input_error({.file = path}, fmt::format("{} has no column '{}'", format.name, column),
                      "expected CSV, TSV or JSON lines");
  }
  const Input input = Input::open(path, ctx);
  const Records records = records_of(input, format, options);
  std::vector<std::string> texts;
  texts.reserve(records.samples.size());
  if (!is_table(format)) {
    for (const std::string_view line : records.samples) {
      texts.push_back(field_of(line, path, std::ssize(texts) + 1, column));
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
    texts.emplace_back(csv_field_text(field, scratch));
  }
  return texts;
}

}  // namespace clade

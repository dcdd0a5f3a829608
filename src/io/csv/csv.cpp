#include "io/csv/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "io/columns/column_names.h"
#include "io/columns/read_records.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/csv/csv_records.h"
#include "io/csv/csv_row_parser.h"
#include "io/csv/decimal_comma.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

// A row takes at least one byte per column (its delimiters and line end); the last line end may be missing.
bool have_room_for_columns(const std::vector<RowChunk>& chunks, Index columns) {
  for (const RowChunk& chunk : chunks) {
    if (chunk.rows > 0 && columns > static_cast<Index>(chunk.end - chunk.begin + 1) / chunk.rows) return false;
  }
  return true;
}

template <class T>
FeatureMatrix parse_rows(const CsvRows& rows, const std::vector<RowChunk>& chunks, Index row_count, ParsedData& parsed,
                         Context& ctx) {
  DenseMatrix<T> matrix{.rows = row_count, .columns = rows.layout.features(), .values = {}};
  const bool in_place = have_room_for_columns(chunks, rows.layout.columns);
  if (in_place) matrix.values = Buffer<T>(matrix.rows * matrix.columns);
  T no_features{};
  T* values = matrix.columns == 0 ? &no_features : matrix.values.data();
  parse_chunks(ctx, rows.text, chunks, parsed, [&](Index k, ChunkFindings& found) {
    CsvChunkParser<T>(rows, chunks[static_cast<std::size_t>(k)], in_place ? values : nullptr, found).parse();
  });
  CLADE_CHECK(in_place);
  return matrix;
}

void note_lines(const std::vector<RowChunk>& chunks, const CsvLayout& layout, Index rows, Index emptied,
                std::vector<std::string>& notes) {
  Index empty = layout.empty_lines - emptied;
  for (const RowChunk& chunk : chunks) empty += chunk.empty_lines;
  if (empty > 0) notes.push_back(fmt::format("skipped {} empty line{}", empty, empty == 1 ? "" : "s"));
  if (rows == 0) notes.emplace_back("a header row and no samples");
}

void check_separators(const ReadOptions& options) {
  if (is_ascii(options.label_separators)) return;
  throw usage_error("label separators outside ASCII", "expected characters such as ; or |");
}

// The rows from layout.data_begin on.
void read_numbers(const DelimitedText& text, const CsvLayout& layout, const ReadOptions& options, ParsedData& parsed,
                  Context& ctx) {
  const bool quotes = has_csv_quotes(text.text, ctx);
  std::vector<RowChunk> chunks = csv_chunks(text.text, layout.data_begin, kChunkBytes, layout.delimiter, quotes);
  const Index row_count = count_rows(ctx, text.text, chunks, layout.data_line, [&](RowChunk& chunk) {
    count_csv_records(text.text, layout.delimiter, quotes, chunk);
  });
  note_lines(chunks, layout, row_count, text.input.emptied_lines(), parsed.notes);

  if (layout.sample >= 0) parsed.sample_names.resize(static_cast<std::size_t>(row_count));
  const CsvRows rows{.text = text,
                     .layout = layout,
                     .label_separators = options.label_separators,
                     .has_quotes = quotes,
                     .sample_names = parsed.sample_names};
  if (options.precision == Precision::kFloat) {
    parsed.features = parse_rows<float>(rows, chunks, row_count, parsed, ctx);
  } else {
    parsed.features = parse_rows<double>(rows, chunks, row_count, parsed, ctx);
  }
  parsed.feature_names = layout.feature_names();
  if (are_default_names(parsed.feature_names)) parsed.feature_names.clear();
  note_odd_names(parsed.feature_names, parsed.notes);
}

constexpr std::string_view kDecimalCommas = "decimal commas are read as decimal points";

ParsedData read_delimited(const Input& input, const ReadOptions& options, char delimiter, Context& ctx) {
  check_separators(options);
  ParsedData parsed;
  const DelimitedText text =
      DelimitedText::of(input, options, "expected a header row or rows of numbers", parsed.notes);
  const CsvLayout layout = read_csv_layout(text, options, delimiter, parsed.notes);
  if (has_decimal_commas(text.text, layout.delimiter)) {
    Input changed = Input::from_bytes(input.name(), with_decimal_points(text.text, layout.delimiter));
    changed.set_emptied_lines(input.emptied_lines());
    ParsedData data = read_delimited(changed, options, layout.delimiter, ctx);
    data.notes.emplace_back(kDecimalCommas);
    return data;
  }
  if (layout.has_texts) return read_records(csv_records(text, layout, ctx), options, std::move(parsed.notes), ctx);
  read_numbers(text, layout, options, parsed, ctx);
  return parsed;
}

// What the first rows of a file say about all of them.
struct CsvHead {
  CsvLayout layout;
  TextRows rows;
  bool has_commas = false;  // decimal ones
};

CsvHead csv_head(const Input& head, const ReadOptions& options, char delimiter, std::vector<std::string>& notes) {
  constexpr Index kLookedAt = 202;  // a header, and what is looked at behind it
  check_separators(options);
  const DelimitedText text = DelimitedText::of(head, options, "expected a header row or rows of numbers", notes);
  CsvHead result{.layout = read_csv_layout(text, options, delimiter, notes)};
  CsvLayout& layout = result.layout;
  const std::string_view looked_at = first_csv_records(text.text, layout.delimiter, layout.empty_lines + kLookedAt);
  result.rows = {.delimiter = layout.delimiter, .is_told = looked_at.size() < text.text.size()};
  if (has_decimal_commas(looked_at, layout.delimiter)) {
    result.has_commas = true;
    notes.clear();
    const Input changed = Input::from_bytes(head.name(), with_decimal_points(looked_at, layout.delimiter));
    const DelimitedText points{.input = changed, .text = changed.bytes(), .latin1 = text.latin1};
    layout = read_csv_layout(points, options, layout.delimiter, notes);
    notes.emplace_back(kDecimalCommas);
  }
  if (layout.has_texts) {
    throw usage_error("words are counted in all samples, and columns of words are told from all",
                      "expected features: `clade convert` counts the words of text");
  }
  std::string_view rest = text.text;
  for (Index k = 0; k < layout.empty_lines; ++k) take_line(rest);
  result.rows.line = layout.empty_lines + 1;
  if (layout.header) {
    Index lines = 0;
    take_csv_record(rest, layout.delimiter, lines);
    result.rows.line += lines;
  }
  result.rows.begin = head.bytes().size() - rest.size();
  return result;
}

TextRows find_rows(const Input& head, const ReadOptions& options, char delimiter) {
  std::vector<std::string> ignored;
  return csv_head(head, options, delimiter, ignored).rows;
}

ParsedData read_rows(const Input& head, const Input& rows, const ReadOptions& options, char delimiter, Context& ctx) {
  ParsedData parsed;
  CsvHead known = csv_head(head, options, delimiter, parsed.notes);
  known.layout.data_begin = 0;
  known.layout.data_line = 1;
  Input input = rows;
  if (known.has_commas) {
    input = Input::from_bytes(rows.name(), with_decimal_points(rows.bytes(), known.layout.delimiter));
    input.begin_at_line(rows.first_line());
  }
  const DelimitedText text{.input = input, .text = input.bytes(), .latin1 = options.encoding == Encoding::kLatin1};
  read_numbers(text, known.layout, options, parsed, ctx);
  return parsed;
}

}  // namespace

ParsedData read_csv(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_delimited(input, options, '\0', ctx);
}

ParsedData read_tsv(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_delimited(input, options, '\t', ctx);
}

TextRows find_csv_rows(const Input& head, const ReadOptions& options) {
  return find_rows(head, options, '\0');
}

TextRows find_tsv_rows(const Input& head, const ReadOptions& options) {
  return find_rows(head, options, '\t');
}

ParsedData read_csv_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx) {
  return read_rows(head, rows, options, '\0', ctx);
}

ParsedData read_tsv_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx) {
  return read_rows(head, rows, options, '\t', ctx);
}

namespace {

constexpr double kMostValues = 2e9;             // of sparse data written as dense: at least 4 GB of text
constexpr std::string_view kSeparators = ";|";  // what a reader splits by default

bool takes_header_names(const Dataset& data) {
  const auto names = data.feature_names();
  if (names.empty() || are_default_names(names)) return false;
  // Without a column of sample names, a reader would mistake a feature of that name for one.
  return data.has_sample_names() ||
         std::none_of(names.begin(), names.end(), [](const std::string& name) { return is_sample_column_name(name); });
}

class CsvWriter {
 public:
  CsvWriter(const Dataset& data, char delimiter, Sink& sink) : data_(data), delimiter_(delimiter), sink_(sink) {}

  void write(Context& ctx) {
    write_header();
    for (Index sample = 0; sample < data_.samples(); ++sample) {
      if (sample % 1024 == 0) ctx.check_cancelled();
      write_row(sample);
    }
  }

 private:
  void write_header() {
    const bool names = takes_header_names(data_);
    special_ = "\"\r\n\t,;";  // a reader guesses the delimiter from this line
    if (data_.has_sample_names()) append("sample");
    for (Index k = 0; k < data_.features(); ++k) {
      append(names ? data_.feature_names()[static_cast<std::size_t>(k)] : default_feature_name(k));
    }
    append("label");
    end_line();
    special_ = std::string("\"\r\n") + delimiter_;
  }

  void write_row(Index sample) {
    if (data_.has_sample_names()) append(data_.sample_name(sample));
    FeatureIndex next = 0;
    data_.for_each_value(sample, [&](FeatureIndex feature, auto value) {
      append_zeros(feature - next);
      next = feature + 1;
      begin_field();
      if (std::isinf(value)) refuse_infinite_value("CSV");
      if (!std::isnan(value)) append_number(line_, value);
    });
    append_zeros(static_cast<FeatureIndex>(data_.features()) - next);
    write_labels(sample);
    if (line_.empty()) line_ = "\"\"";  // an empty line would be skipped
    end_line();
  }

  void write_labels(Index sample) {
    const Taxonomy& taxonomy = data_.taxonomy();
    labels_.clear();
    for (const NodeId label : data_.labels(sample)) {
      const std::string& name = taxonomy.name(taxonomy.fold(label));
      if (name.find_first_of(kSeparators) != std::string::npos || name.empty() || trim(name).size() != name.size()) {
        throw input_error({}, fmt::format("label '{}' cannot be written as CSV", shown(name)),
                          "expected a name without ';', '|' and blanks around it");
      }
      if (!labels_.empty()) labels_ += ';';
      labels_ += name;
    }
    append(labels_);
  }

  void begin_field() {
    if (!first_) line_ += delimiter_;
    first_ = false;
  }

  void append_zeros(FeatureIndex count) {
    for (FeatureIndex k = 0; k < count; ++k) {
      begin_field();
      line_ += '0';
    }
  }

  void append(std::string_view text) {
    begin_field();
    append_csv_field(line_, text, special_);
  }

  void end_line() {
    line_ += '\n';
    sink_.write(line_);
    line_.clear();
    first_ = true;
  }

  const Dataset& data_;
  char delimiter_;
  Sink& sink_;
  std::string special_;  // characters that make a field quoted
  std::string line_;
  std::string labels_;
  bool first_ = true;
};

void write_delimited(const Dataset& data, char delimiter, Sink& sink, Context& ctx) {
  const double values = static_cast<double>(data.samples()) * static_cast<double>(data.features());
  if (is_sparse(data.matrix()) && values > kMostValues) {
    throw usage_error(fmt::format("sparse data of {} x {} is too large for CSV, which writes every zero",
                                  data.samples(), data.features()),
                      "expected at most 2e9 values; a sparse format such as LIBSVM holds it");
  }
  refuse_unwritable_names(data, "CSV");
  CsvWriter(data, delimiter, sink).write(ctx);
}

}  // namespace

void write_csv(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  write_delimited(data, ',', sink, ctx);
}

void write_tsv(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  write_delimited(data, '\t', sink, ctx);
}

DataFormat::Holds csv_holds(const Dataset& data) {
  return {.feature_names = takes_header_names(data),
          .sample_names = data.has_sample_names(),
          .taxonomy = false,
          .feature_count = true};
}

}  // namespace clade

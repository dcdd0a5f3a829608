#include "io/csv/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "io/columns/column_names.h"
#include "io/columns/read_records.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/csv/csv_records.h"
#include "io/csv/decimal_comma.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

// What is the same for every row of a file.
struct CsvRows {
  const DelimitedText& text;
  const CsvLayout& layout;
  std::string_view label_separators;
  bool has_quotes;
  std::vector<std::string>& sample_names;
};

// Parses the rows of one chunk into `values`, which has room for all rows of the file. If it is null, each row goes to
// a scratch row: the file has too few bytes for that many values, so some row is too short, and parsing finds it.
template <class T>
class CsvChunkParser {
 public:
  CsvChunkParser(const CsvRows& rows, const RowChunk& chunk, T* values, ChunkFindings& found)
      : rows_(rows),
        layout_(rows.layout),
        chunk_(chunk),
        found_(found),
        values_(values),
        text_end_(rows.text.text.data() + rows.text.text.size()),
        line_(chunk.first_line),
        row_(chunk.first_row) {
    if (values == nullptr) scratch_row_.resize(static_cast<std::size_t>(layout_.features()));
  }

  void parse() {
    std::string_view rest = chunk_.of(rows_.text.text);
    const char* bad = chunk_.ascii ? rest.data() + rest.size() : rows_.text.first_bad_byte(rest);
    while (!rest.empty()) {
      Index lines = 1;
      const std::string_view record =
          rows_.has_quotes ? take_csv_record(rest, layout_.delimiter, lines) : take_line(rest);
      if (bad < record.data() + record.size()) rows_.text.refuse_byte(bad, chunk_start(), chunk_.first_line);
      if (!record.empty()) parse_record(record);
      line_ += lines;
    }
  }

 private:
  void parse_record(std::string_view record) {
    record_ = record;
    const char* at = record.data();
    const char* end = at + record.size();
    T* out = values_ != nullptr ? values_ + row_ * layout_.features() : scratch_row_.data();
    for (Index column = 0;; ++column) {
      if (column == layout_.label) {
        parse_labels(text_field(at, end));
      } else if (layout_.is_ignored(column)) {
        take_field(at, end);
      } else if (column == layout_.sample) {
        rows_.sample_names[static_cast<std::size_t>(row_)] = text_field(at, end);
      } else {
        at = parse_value(at, end, column, *out++);
      }
      const bool last = column + 1 == layout_.columns;
      if (at == end && last) break;
      if (at == end || last) refuse_column_count();
      ++at;
    }
    found_.labels.end_sample();
    ++row_;
  }

  // Returns where the field ends. No number crosses a line end, so the parser gets the rest of the text: it is faster
  // if it can look ahead.
  const char* parse_value(const char* at, const char* end, Index column, T& value) {
    const NumberResult result = parse_number(at, text_end_, value);
    if (result.status == NumberStatus::kOk && (result.end == end || *result.end == layout_.delimiter)) {
      return result.end;
    }
    return parse_odd_value(at, end, column, value);
  }

  // Blanks, quotes, missing values and errors.
  const char* parse_odd_value(const char* at, const char* end, Index column, T& value) {
    const char* begin = at;
    const CsvField field = take_field(at, end);
    const std::string_view text = trim(field.raw);
    const NumberStatus status = parse_whole(text, value);
    if (status == NumberStatus::kMissing || is_missing_in_csv(text)) {
      value = std::numeric_limits<T>::quiet_NaN();
      if (found_.missing++ == 0) found_.first_missing = place(begin);
    } else if (status == NumberStatus::kNotNumber) {
      check_column_count();
      throw input_error(place(begin), fmt::format("'{}' in column {} is not a number", shown(text), name(column)),
                        "expected a number, or nothing, ?, NA, NaN or null for a missing value");
    } else if (status == NumberStatus::kNotFinite) {
      check_column_count();
      throw input_error(place(begin), fmt::format("'{}' in column {} is not finite", shown(text), name(column)),
                        fmt::format("expected a number of magnitude at most {:.4g}", std::numeric_limits<T>::max()));
    }
    return at;
  }

  CsvField take_field(const char*& at, const char* end) {
    const char* begin = at;
    const CsvField field = take_csv_field(at, end, layout_.delimiter);
    if (!field.closed) {
      throw input_error(place(begin), "a quoted field is not closed, or text follows it",
                        "expected \" and then a delimiter or the end of the line");
    }
    return field;
  }

  std::string_view text_field(const char*& at, const char* end) {
    return rows_.text.decoded(csv_field_text(take_field(at, end), unquoted_), decoded_);
  }

  void parse_labels(std::string_view names) {
    if (trim(names).empty()) return;
    for (;;) {
      const std::size_t cut = names.find_first_of(rows_.label_separators);
      const std::string_view name = trim(names.substr(0, cut));
      if (name.empty()) {
        ++found_.empty_labels;
      } else {
        found_.labels.add(name, line_);
      }
      if (cut == std::string_view::npos) return;
      names.remove_prefix(cut + 1);
    }
  }

  void check_column_count() const {
    if (count_csv_fields(record_, layout_.delimiter) != layout_.columns) refuse_column_count();
  }
  [[noreturn]] void refuse_column_count() const {
    const Index found = count_csv_fields(record_, layout_.delimiter);
    throw input_error(rows_.text.input.at_line(line_), fmt::format("{} column{}", found, found == 1 ? "" : "s"),
                      fmt::format("expected {} as in the first row", layout_.columns));
  }

  const char* chunk_start() const { return rows_.text.text.data() + chunk_.begin; }
  Where place(const char* at) const { return rows_.text.place(chunk_start(), chunk_.first_line, at); }
  std::string name(Index column) const { return layout_.column_name(column); }

  const CsvRows& rows_;
  const CsvLayout& layout_;
  const RowChunk& chunk_;
  ChunkFindings& found_;
  T* values_;
  std::vector<T> scratch_row_;
  const char* text_end_;
  Index line_;
  Index row_;
  std::string_view record_;
  std::string unquoted_;
  std::string decoded_;
};

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

void note_lines(const std::vector<RowChunk>& chunks, const CsvLayout& layout, Index rows,
                std::vector<std::string>& notes) {
  Index empty = layout.empty_lines;
  for (const RowChunk& chunk : chunks) empty += chunk.empty_lines;
  if (empty > 0) notes.push_back(fmt::format("skipped {} empty line{}", empty, empty == 1 ? "" : "s"));
  if (rows == 0) notes.emplace_back("a header row and no samples");
}

ParsedData read_delimited(const Input& input, const ReadOptions& options, char delimiter, Context& ctx) {
  if (!is_ascii(options.label_separators)) {
    throw usage_error("label separators outside ASCII", "expected characters such as ; or |");
  }
  ParsedData parsed;
  const DelimitedText text =
      DelimitedText::of(input, options, "expected a header row or rows of numbers", parsed.notes);
  const CsvLayout layout = read_csv_layout(text, options, delimiter, parsed.notes);
  if (auto points = with_decimal_points(text.text, layout.delimiter)) {
    const Input changed = Input::from_bytes(input.name(), *std::move(points));
    ParsedData data = read_delimited(changed, options, layout.delimiter, ctx);
    data.notes.emplace_back("decimal commas are read as decimal points");
    return data;
  }
  if (layout.has_texts) return read_records(csv_records(text, layout, ctx), options, std::move(parsed.notes), ctx);
  const bool quotes = has_csv_quotes(text.text, ctx);
  std::vector<RowChunk> chunks = csv_chunks(text.text, layout.data_begin, kChunkBytes, layout.delimiter, quotes);
  const Index row_count = count_rows(ctx, text.text, chunks, layout.data_line, [&](RowChunk& chunk) {
    count_csv_records(text.text, layout.delimiter, quotes, chunk);
  });
  note_lines(chunks, layout, row_count, parsed.notes);

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
  return parsed;
}

}  // namespace

ParsedData read_csv(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_delimited(input, options, '\0', ctx);
}

ParsedData read_tsv(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_delimited(input, options, '\t', ctx);
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

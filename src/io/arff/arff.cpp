#include "io/arff/arff.h"

#include <algorithm>
#include <cmath>

#include "io/arff/arff_class.h"
#include "io/arff/arff_header.h"
#include "io/arff/arff_row_parser.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

using Kind = ArffAttribute::Kind;
using Role = ArffAttribute::Role;

void count_chunk(std::string_view text, RowChunk& chunk) {
  std::string_view rest = chunk.of(text);
  for (; !rest.empty(); ++chunk.lines) {
    const std::string_view line = take_line(rest);
    const char* at = line.data();
    const char* end = at + line.size();
    skip_blanks(at, end);
    if (at == end || *at == '%') continue;
    ++chunk.rows;
    if (*at == '{') ++chunk.sparse_rows;
  }
}

std::vector<Index> nonzero_when_omitted(const ArffHeader& header) {
  std::vector<Index> result;
  for (std::size_t k = 0; k < header.attributes.size(); ++k) {
    const ArffAttribute& attribute = header.attributes[k];
    const bool nominal = attribute.role == Role::kFeature && attribute.kind == Kind::kNominal;
    if (nominal && attribute.first_value_is_nonzero()) result.push_back(static_cast<Index>(k));
  }
  return result;
}

template <class T>
FeatureMatrix parse_dense(const ArffRows& rows, const std::vector<RowChunk>& chunks, Index row_count,
                          ParsedData& parsed, Context& ctx) {
  const Index columns = rows.header.columns;
  DenseMatrix<T> matrix{.rows = row_count, .columns = columns, .values = Buffer<T>(row_count * columns)};
  parse_chunks(ctx, rows.text, chunks, parsed, [&](Index k, ChunkFindings& found) {
    const RowChunk& chunk = chunks[static_cast<std::size_t>(k)];
    DenseRows<T> out(matrix.values.data(), columns, chunk.first_row);
    ArffChunkParser<DenseRows<T>>(rows, chunk, out, found).parse();
  });
  return matrix;
}

template <class T>
FeatureMatrix parse_sparse(const ArffRows& rows, const std::vector<RowChunk>& chunks, Index row_count,
                           ParsedData& parsed, Context& ctx) {
  std::vector<SparseRows<T>> parts(chunks.size());
  parse_chunks(ctx, rows.text, chunks, parsed, [&](Index k, ChunkFindings& found) {
    const RowChunk& chunk = chunks[static_cast<std::size_t>(k)];
    SparseRows<T>& out = parts[static_cast<std::size_t>(k)];
    out = SparseRows<T>(chunk.of(rows.text.text), chunk.rows);
    ArffChunkParser<SparseRows<T>>(rows, chunk, out, found).parse();
  });
  std::vector<Index> first(parts.size() + 1, 0);
  for (std::size_t k = 0; k < parts.size(); ++k) first[k + 1] = first[k] + parts[k].size();
  SparseMatrix<T> matrix{.rows = row_count,
                         .columns = rows.header.columns,
                         .offsets = Buffer<Index>(row_count + 1),
                         .indices = Buffer<FeatureIndex>(first.back()),
                         .values = Buffer<T>(first.back())};
  matrix.offsets[0] = 0;
  parallel_for(ctx, static_cast<Index>(parts.size()), 1, [&](Index k, Index) {
    const auto at = static_cast<std::size_t>(k);
    parts[at].move_into(matrix, chunks[at].first_row, first[at]);
  });
  return matrix;
}

template <class T>
FeatureMatrix parse_features(const ArffRows& rows, const std::vector<RowChunk>& chunks, Index row_count,
                             ParsedData& parsed, Context& ctx) {
  const bool any_sparse = std::ranges::any_of(chunks, [](const RowChunk& chunk) { return chunk.sparse_rows > 0; });
  const double dense_bytes = static_cast<double>(row_count) * static_cast<double>(rows.header.columns) * sizeof(T);
  const bool too_large = dense_bytes > static_cast<double>(kSpareBytes + 10 * rows.text.text.size());
  if (!any_sparse && !too_large) return parse_dense<T>(rows, chunks, row_count, parsed, ctx);
  FeatureMatrix matrix = parse_sparse<T>(rows, chunks, row_count, parsed, ctx);
  if (!any_sparse) parsed.notes.emplace_back("kept sparse: the columns of nominal attributes are mostly 0");
  return matrix;
}

// Counts the rows of the data section chunk by chunk and parses them in parallel into `parsed`: features, labels and
// sample names. The matrix is sparse if any row is ({index value, ...}), or if the columns of nominal attributes would
// make a dense one much larger than the file.
void read_data_section(const DelimitedText& text, const ArffHeader& header, const ReadOptions& options,
                       ParsedData& parsed, Context& ctx) {
  std::vector<RowChunk> chunks;
  for (const LineChunk& part : line_chunks(text.text, header.data_begin, kChunkBytes)) {
    chunks.push_back({.begin = part.begin, .end = part.end});
  }
  const Index row_count =
      count_rows(ctx, text.text, chunks, header.data_line, [&](RowChunk& chunk) { count_chunk(text.text, chunk); });
  if (row_count == 0) parsed.notes.emplace_back("a header and no samples");
  if (header.sample >= 0) parsed.sample_names.resize(static_cast<std::size_t>(row_count));
  const ArffRows rows{.text = text,
                      .header = header,
                      .sort_features = options.sort_features,
                      .sample_names = parsed.sample_names,
                      .nonzero_when_omitted = nonzero_when_omitted(header)};
  parsed.features = options.precision == Precision::kFloat
                        ? parse_features<float>(rows, chunks, row_count, parsed, ctx)
                        : parse_features<double>(rows, chunks, row_count, parsed, ctx);
}

}  // namespace

namespace {

constexpr std::string_view kExpected = "expected @relation, @attribute and @data";

// The rows of `text` from header.data_begin on, and what the header says.
ParsedData with_data(const DelimitedText& text, ArffHeader header, std::vector<std::string> notes,
                     const ReadOptions& options, Context& ctx) {
  ParsedData parsed;
  parsed.notes = std::move(notes);
  read_data_section(text, header, options, parsed, ctx);
  parsed.feature_names = std::move(header.feature_names);
  if (header.classes) {
    parsed.hierarchy = std::move(header.classes->hierarchy);
    parsed.labels_are_names = true;
  }
  return parsed;
}

// Whether nominal attributes make columns of mostly 0 shows only in all rows. Where they make few columns, the file is
// never that much smaller than a dense matrix: every attribute of a row takes two bytes of it.
void require_known_storage(const ArffHeader& header, const ReadOptions& options) {
  constexpr Index kMostBytes = 20;  // of a dense matrix for two bytes of text
  const bool is_chosen = options.storage == Storage::kDense || options.storage == Storage::kSparse;
  if (is_chosen || Index{8} * header.columns <= kMostBytes * std::ssize(header.attributes)) return;
  throw usage_error("nominal attributes with many values: sparse or dense is told from all rows",
                    "expected `storage` dense or sparse");
}

bool has_data_line(std::string_view text) {
  while (!text.empty()) {
    if (equal_ignoring_case(trim(take_line(text)).substr(0, 5), "@data")) return true;
  }
  return false;
}

}  // namespace

ParsedData read_arff(const Input& input, const ReadOptions& options, Context& ctx) {
  std::vector<std::string> notes;
  const DelimitedText text = DelimitedText::of(input, options, kExpected, notes);
  ArffHeader header = read_arff_header(text, options, notes);
  return with_data(text, std::move(header), std::move(notes), options, ctx);
}

TextRows find_arff_rows(const Input& head, const ReadOptions& options) {
  std::vector<std::string> ignored;
  const DelimitedText text = DelimitedText::of(head, options, kExpected, ignored);
  if (!has_data_line(text.text)) return {.is_told = false};
  const ArffHeader header = read_arff_header(text, options, ignored);
  require_known_storage(header, options);
  return {.begin = head.bytes().size() - text.text.size() + header.data_begin, .line = header.data_line};
}

ParsedData read_arff_rows(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx) {
  std::vector<std::string> notes;
  const DelimitedText text = DelimitedText::of(head, options, kExpected, notes);
  ArffHeader header = read_arff_header(text, options, notes);
  header.data_begin = 0;
  header.data_line = 1;
  return with_data({.input = rows, .text = rows.bytes(), .latin1 = text.latin1}, std::move(header), std::move(notes),
                   options, ctx);
}

namespace {

class ArffWriter {
 public:
  ArffWriter(const Dataset& data, Sink& sink) : data_(data), classes_(data.taxonomy()), sink_(sink) {}

  void write(Context& ctx) {
    write_header();
    const bool sparse = is_sparse(data_.matrix());
    for (Index sample = 0; sample < data_.samples(); ++sample) {
      if (sample % 1024 == 0) ctx.check_cancelled();
      sparse ? write_sparse_row(sample) : write_dense_row(sample);
    }
  }

 private:
  void write_header() {
    line_ = "@relation data\n\n";
    if (data_.has_sample_names()) line_ += "@attribute sample string\n";
    for (Index k = 0; k < data_.features(); ++k) {
      line_ += "@attribute ";
      append_arff_word(line_, data_.has_feature_names() ? data_.feature_names()[static_cast<std::size_t>(k)]
                                                        : default_feature_name(k));
      line_ += " numeric\n";
    }
    if (!classes_.mark().empty()) line_.append("% ").append(classes_.mark()) += '\n';
    line_ += "@attribute class hierarchical ";
    classes_.append_entries(line_);
    line_ += "\n\n@data\n";
    end_line();
  }

  void write_dense_row(Index sample) {
    if (data_.has_sample_names()) {
      append_arff_word(line_, data_.sample_name(sample));
      line_ += ',';
    }
    data_.for_each_value(sample, [&](FeatureIndex, auto value) {
      append_value(value);
      line_ += ',';
    });
    append_labels(sample);
    line_ += '\n';
    end_line();
  }

  void write_sparse_row(Index sample) {
    line_ = '{';
    Index shift = 0;
    if (data_.has_sample_names()) {
      line_ += "0 ";
      append_arff_word(line_, data_.sample_name(sample));
      shift = 1;
    }
    data_.for_each_value(sample, [&](FeatureIndex feature, auto value) {
      begin_entry(feature + shift);
      append_value(value);
    });
    begin_entry(data_.features() + shift);
    append_labels(sample);
    line_ += "}\n";
    end_line();
  }

  void begin_entry(Index index) {
    if (line_.size() > 1) line_ += ',';
    line_ += std::to_string(index);
    line_ += ' ';
  }

  template <class T>
  void append_value(T value) {
    if (std::isinf(value)) refuse_infinite_value("ARFF");
    std::isnan(value) ? static_cast<void>(line_ += '?') : append_number(line_, value);
  }

  void append_labels(Index sample) {
    const auto labels = data_.labels(sample);
    if (labels.empty()) line_ += '?';
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (k > 0) line_ += '@';
      classes_.append_label(line_, labels[k]);
    }
  }

  void end_line() {
    sink_.write(line_);
    line_.clear();
  }

  const Dataset& data_;
  ArffClassWriter classes_;
  Sink& sink_;
  std::string line_;
};

}  // namespace

void write_arff(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  refuse_unwritable_names(data, "ARFF");
  ArffWriter(data, sink).write(ctx);
}

DataFormat::Holds arff_holds(const Dataset& data) {
  const auto names = data.feature_names();
  return {.feature_names = !names.empty() && !are_default_names(names),
          .sample_names = data.has_sample_names(),
          .taxonomy = true,
          .feature_count = true};
}

}  // namespace clade

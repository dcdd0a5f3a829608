#include "io/arff/arff_rows.h"

#include <algorithm>

#include "io/arff/arff_row_parser.h"
#include "io/arff/arff_sinks.h"
#include "io/arff/arff_text.h"
#include "io/lines.h"

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

}  // namespace

void read_arff_rows(const DelimitedText& text, const ArffHeader& header, const ReadOptions& options, ParsedData& parsed,
                    Context& ctx) {
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

}  // namespace clade

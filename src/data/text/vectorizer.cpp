#include "data/text/vectorizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

// The first eight bytes as a number that compares like them, so that most words are compared without touching their
// text.
std::uint64_t prefix_key(std::string_view word) {
  std::uint64_t key = 0;
  for (std::size_t k = 0; k < 8; ++k) key = key << 8U | (k < word.size() ? static_cast<unsigned char>(word[k]) : 0U);
  return key;
}

struct SortedWord {
  std::uint64_t key;
  std::string_view text;
  Index document_frequency;

  friend bool operator<(const SortedWord& a, const SortedWord& b) {
    return a.key != b.key ? a.key < b.key : a.text < b.text;
  }
};

// How far a number may stray from the mean, in deviations, so that one outlier does not outweigh the rest.
constexpr double kFarthest = 3;

// ln(N / df) of a column is needed for each value; `idf_of` gives it, from a table or by the formula.
template <class IdfOf>
double weight_of(const TextOptions& options, WordCount entry, const IdfOf& idf_of) {
  const double count = options.sublinear ? 1 + std::log(static_cast<double>(entry.count)) : entry.count;
  switch (options.weight) {
    case TermWeight::kTf:
      return count;
    case TermWeight::kTfIdf:
      return count * idf_of(entry.word);
    case TermWeight::kBinary:
      return 1;
  }
  return 0;
}

// Replaces words by columns (column_of gives -1 for those without one), drops what would be 0, and sorts. Returns the
// remaining part of `entries`.
template <class ColumnOf, class IdfOf>
std::span<WordCount> to_columns(std::span<WordCount> entries, TermWeight weight, const ColumnOf& column_of,
                                const IdfOf& idf_of) {
  std::size_t kept = 0;
  for (const WordCount& entry : entries) {
    const WordCount mapped{column_of(entry.word), entry.count};
    if (mapped.word < 0 || (weight == TermWeight::kTfIdf && idf_of(mapped.word) == 0)) continue;
    entries[kept++] = mapped;
  }
  const auto row = entries.first(kept);
  std::ranges::sort(row, {}, &WordCount::word);
  return row;
}

// Rounded alike wherever it is inlined: left to itself, the compiler fuses multiplication and addition in some loops
// and not in others.
double plus_square(double sum, double value) {
#ifdef __FMA__
  return std::fma(value, value, sum);
#else
  return sum + value * value;
#endif
}

// The only place where values are computed, so that every way to a row gives the same bits.
template <class IdfOf, class Store>
void weigh_row(std::span<const WordCount> row, const TextOptions& options, const IdfOf& idf_of, const Store& store) {
  double length = 1;
  if (!options.raw_length) {
    double squares = 0;
    for (const WordCount entry : row) {
      squares = plus_square(squares, weight_of(options, entry, idf_of));
    }
    length = std::sqrt(squares);
  }
  for (std::size_t k = 0; k < row.size(); ++k) store(k, weight_of(options, row[k], idf_of) / length);
}

// Larger numbers count as this, so that squares do not overflow.
double bounded(double value) {
  constexpr double kLargest = 1e100;
  return std::clamp(value, -kLargest, kLargest);
}

double number_feature(const TextVectorizer& vectorizer, std::size_t k, double value) {
  if (std::isnan(value)) {
    switch (vectorizer.options.missing_numbers) {
      case MissingNumbers::kMean:
        return 0;
      case MissingNumbers::kZero:
        value = 0;
        break;
      case MissingNumbers::kKeep:
        return value;
    }
  }
  const TextVectorizer::Number& number = vectorizer.numbers[k];
  // Beside words: a document has length 1, so that all its words together count about as much.
  const double weight = vectorizer.words.empty() ? 1 : vectorizer.options.number_weight;
  return weight * std::clamp((bounded(value) - number.mean) / number.deviation, -kFarthest, kFarthest);
}

// Means and deviations of the numbers of all documents, added up in their order.
std::vector<TextVectorizer::Number> learn_numbers(std::span<const WordCounts> chunks, std::size_t columns) {
  std::vector<TextVectorizer::Number> result(columns);
  for (std::size_t k = 0; k < columns; ++k) {
    double count = 0;
    double mean = 0;
    double squares = 0;
    for (const WordCounts& chunk : chunks) {
      for (std::size_t at = k; at < chunk.numbers.size(); at += columns) {
        if (std::isnan(chunk.numbers[at])) continue;
        const double value = bounded(chunk.numbers[at]);
        count += 1;
        const double step = value - mean;
        mean += step / count;
        squares += step * (value - mean);
      }
    }
    const double deviation = count > 0 ? std::sqrt(squares / count) : 0;
    result[k] = {mean, deviation > 0 ? deviation : 1};
  }
  return result;
}

// Words of a single document among many blur more than they tell (docs/text.md); of a few documents none can be spared.
Index least_documents(const TextOptions& options, Index documents) {
  constexpr Index kMany = 500;
  if (options.min_document_frequency > 0) return options.min_document_frequency;
  return documents >= kMany ? 2 : 1;
}

std::size_t number_columns(const TextOptions& options) {
  return static_cast<std::size_t>(std::ranges::count_if(options.columns, [](const DataColumn& column) {
    return column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kDate;
  }));
}

TextVectorizer::Row row_of(const TextVectorizer& vectorizer, WordCounts counted) {
  if (vectorizer.options.sequences) {
    TextVectorizer::Row row;
    for (const WordCount entry : counted.of(0)) {
      row.columns.push_back(entry.word);
      row.values.push_back(entry.count);
    }
    return row;
  }
  const auto column_of = [&](std::int32_t word) { return vectorizer.find(counted.words.word(word)).value_or(-1); };
  const auto idf_of = [&](FeatureIndex column) { return vectorizer.idf(column); };
  const auto entries = to_columns(counted.of(0), vectorizer.options.weight, column_of, idf_of);
  TextVectorizer::Row row;
  for (const WordCount entry : entries) row.columns.push_back(entry.word);
  row.values.resize(entries.size());
  weigh_row(entries, vectorizer.options, idf_of, [&](std::size_t k, double value) { row.values[k] = value; });
  return row;
}

struct IdfTable {
  std::vector<double> values;
  double operator()(FeatureIndex column) const { return values[static_cast<std::size_t>(column)]; }
};

// Turns counted chunks into rows in two steps, each parallel over chunks: first the columns of a row, then its values.
class RowMaker {
 public:
  RowMaker(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows)
      : vectorizer_(vectorizer), options_(vectorizer.options), chunks_(chunks), rows_(rows) {
    for (const std::string& word : vectorizer.words) columns_.intern(word);
    for (FeatureIndex c = 0; c < columns_.size(); ++c) idf_.values.push_back(vectorizer.idf(c));
    for (const WordCounts& chunk : chunks) first_document_.push_back(first_document_.back() + chunk.documents());
    CLADE_CHECK(rows.empty() || static_cast<Index>(rows.size()) == documents());
  }

  Index documents() const { return first_document_.back(); }

  // Replaces the chunk's words by columns; offsets[r + 1] becomes the number of values in row r.
  void find_columns(Index chunk, Buffer<Index>& offsets) const {
    WordCounts& counted = chunks_[static_cast<std::size_t>(chunk)];
    if (options_.sequences) {
      for (Index d = 0; d < counted.documents(); ++d) offsets[row_of(chunk, d) + 1] = std::ssize(counted.of(d));
      return;
    }
    std::vector<FeatureIndex> column(static_cast<std::size_t>(counted.words.size()));
    for (std::int32_t w = 0; w < counted.words.size(); ++w) {
      column[static_cast<std::size_t>(w)] = columns_.find(counted.words.word(w));
    }
    const auto column_of = [&](std::int32_t word) { return column[static_cast<std::size_t>(word)]; };
    for (Index d = 0; d < counted.documents(); ++d) {
      const auto row = to_columns(counted.of(d), options_.weight, column_of, idf_);
      offsets[row_of(chunk, d) + 1] = static_cast<Index>(row.size() + vectorizer_.numbers.size());
    }
  }

  template <class T>
  void fill(Index chunk, SparseMatrix<T>& matrix) const {
    WordCounts& counted = chunks_[static_cast<std::size_t>(chunk)];
    for (Index d = 0; d < counted.documents(); ++d) {
      const Index r = row_of(chunk, d);
      const Index begin = matrix.offsets[r];
      const std::size_t numbers = vectorizer_.numbers.size();
      const auto row = counted.of(d).first(static_cast<std::size_t>(matrix.offsets[r + 1] - begin) - numbers);
      std::ranges::transform(row, matrix.indices.data() + begin, &WordCount::word);
      T* values = matrix.values.data() + begin;
      if (options_.sequences) {
        std::ranges::transform(row, values, [](const WordCount entry) { return static_cast<T>(entry.count); });
        continue;
      }
      weigh_row(row, options_, idf_, [&](std::size_t k, double value) { values[k] = static_cast<T>(value); });
      for (std::size_t k = 0; k < numbers; ++k) {
        const double value = counted.numbers[static_cast<std::size_t>(d) * numbers + k];
        matrix.indices[begin + std::ssize(row) + static_cast<Index>(k)] =
            static_cast<FeatureIndex>(vectorizer_.words.size() + k);
        values[row.size() + k] = static_cast<T>(number_feature(vectorizer_, k, value));
      }
    }
  }

 private:
  Index row_of(Index chunk, Index document) const {
    const Index number = first_document_[static_cast<std::size_t>(chunk)] + document;
    return rows_.empty() ? number : rows_[static_cast<std::size_t>(number)];
  }

  const TextVectorizer& vectorizer_;
  const TextOptions& options_;
  std::span<WordCounts> chunks_;
  RowOrder rows_;
  WordTable columns_;  // words are interned in column order, so that their numbers are columns
  IdfTable idf_;
  std::vector<Index> first_document_{0};  // per chunk
};

// Cuts documents into runs of about WordCounter::kChunkBytes; returns the ends of the runs.
std::vector<Index> chunk_ends(std::span<const std::string_view> documents) {
  std::vector<Index> ends;
  std::size_t bytes = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    bytes += documents[d].size() + 1;
    if (bytes < WordCounter::kChunkBytes && d + 1 < documents.size()) continue;
    ends.push_back(static_cast<Index>(d) + 1);
    bytes = 0;
  }
  return ends;
}

std::vector<WordCounts> count_words(std::span<const std::string_view> documents, const TextOptions& options,
                                    Context& ctx) {
  check_text_options(options);
  const std::vector<Index> ends = chunk_ends(documents);
  std::vector<WordCounts> chunks(ends.size());
  parallel_for(ctx, static_cast<Index>(ends.size()), 1, [&](Index chunk, Index) {
    const auto c = static_cast<std::size_t>(chunk);
    WordCounter counter(options);
    for (Index d = c == 0 ? 0 : ends[c - 1]; d < ends[c]; ++d) {
      counter.add_text(documents[static_cast<std::size_t>(d)]);
      counter.end_document();
    }
    chunks[c] = std::move(counter).take();
  });
  return chunks;
}

}  // namespace

std::optional<FeatureIndex> TextVectorizer::find(std::string_view word) const {
  const auto found =
      std::ranges::lower_bound(words, word, {}, [](const std::string& w) { return std::string_view(w); });
  if (found == words.end() || *found != word) return std::nullopt;
  return static_cast<FeatureIndex>(found - words.begin());
}

std::vector<std::string> TextVectorizer::feature_names() const {
  std::vector<std::string> names = words;
  for (const DataColumn& column : options.columns) {
    if (column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kDate) names.push_back(column.name);
  }
  return names;
}

double TextVectorizer::idf(FeatureIndex column) const {
  const Index frequency = document_frequency[static_cast<std::size_t>(column)];
  return std::log(static_cast<double>(documents) / static_cast<double>(frequency));
}

TextVectorizer::Row TextVectorizer::transform(std::string_view text) const {
  WordCounter counter(options);
  counter.add_text(text);
  counter.end_document();
  return row_of(*this, std::move(counter).take());
}

TextVectorizer::Row TextVectorizer::transform_tokens(std::span<const std::string> tokens) const {
  WordCounter counter(options);
  for (const std::string& token : tokens) counter.add_token(token);
  counter.end_document();
  return row_of(*this, std::move(counter).take());
}

TextVectorizer learn_vocabulary(std::span<const WordCounts> chunks, const TextOptions& options) {
  WordTable all;
  std::vector<Index> frequency;
  TextVectorizer vectorizer{.options = options, .words = {}, .document_frequency = {}, .documents = 0, .numbers = {}};
  // Where counts are asked for, a count stays a count.
  vectorizer.options.sublinear = options.sublinear && options.weight == TermWeight::kTfIdf && !options.sequences;
  for (const WordCounts& chunk : chunks) {
    vectorizer.documents += chunk.documents();
    for (std::int32_t word = 0; word < chunk.words.size(); ++word) {
      const auto number = static_cast<std::size_t>(all.intern(chunk.words.word(word)));
      if (number == frequency.size()) frequency.push_back(0);
      frequency[number] += chunk.document_frequency[static_cast<std::size_t>(word)];
    }
  }
  const Index least = least_documents(options, vectorizer.documents);
  vectorizer.options.min_document_frequency = least;  // also of parts, from which words are learnt again
  const double most = options.max_document_share * static_cast<double>(vectorizer.documents);
  std::vector<SortedWord> kept;
  for (std::int32_t word = 0; word < all.size(); ++word) {
    const Index documents = frequency[static_cast<std::size_t>(word)];
    if (documents < least || static_cast<double>(documents) > most) continue;
    kept.push_back({prefix_key(all.word(word)), all.word(word), documents});
  }
  std::ranges::sort(kept, std::less<>());
  for (const SortedWord& word : kept) {
    vectorizer.words.emplace_back(word.text);
    vectorizer.document_frequency.push_back(word.document_frequency);
  }
  vectorizer.numbers = learn_numbers(chunks, number_columns(options));
  return vectorizer;
}

template <class T>
SparseMatrix<T> make_rows(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows, Context& ctx) {
  const RowMaker maker(vectorizer, chunks, rows);
  SparseMatrix<T> matrix;
  matrix.rows = maker.documents();
  matrix.columns = vectorizer.features();
  if (vectorizer.options.sequences) {
    for (WordCounts& chunk : chunks) {
      for (Index d = 0; d < chunk.documents(); ++d) matrix.columns = std::max(matrix.columns, std::ssize(chunk.of(d)));
    }
  }
  matrix.offsets = Buffer<Index>(matrix.rows + 1);
  matrix.offsets[0] = 0;
  const auto chunk_total = static_cast<Index>(chunks.size());
  parallel_for(ctx, chunk_total, 1, [&](Index chunk, Index) { maker.find_columns(chunk, matrix.offsets); });
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());

  matrix.indices = Buffer<FeatureIndex>(matrix.nonzeros());
  matrix.values = Buffer<T>(matrix.nonzeros());
  parallel_for(ctx, chunk_total, 1, [&](Index chunk, Index) { maker.fill(chunk, matrix); });
  return matrix;
}

template SparseMatrix<double> make_rows(const TextVectorizer&, std::span<WordCounts>, RowOrder, Context&);
template SparseMatrix<float> make_rows(const TextVectorizer&, std::span<WordCounts>, RowOrder, Context&);

VectorizedText learn_vectorizer(std::span<const std::string_view> documents, const TextOptions& options, Context& ctx) {
  std::vector<WordCounts> chunks = count_words(documents, options, ctx);
  auto vectorizer = std::make_shared<TextVectorizer>(learn_vocabulary(chunks, options));
  SparseMatrix<double> rows = make_rows<double>(*vectorizer, chunks, {}, ctx);
  return {std::move(vectorizer), std::move(rows)};
}

SparseMatrix<double> vectorize(const TextVectorizer& vectorizer, std::span<const std::string_view> documents,
                               Context& ctx) {
  std::vector<WordCounts> chunks = count_words(documents, vectorizer.options, ctx);
  return make_rows<double>(vectorizer, chunks, {}, ctx);
}

}  // namespace clade

#include "io/joined_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/parallel.h"
#include "data/storage.h"
#include "data/text/vectorizer_json.h"

namespace clade {
namespace {

Error differs(const std::string& file, std::string_view what, const std::string& first) {
  return input_error({.file = file}, fmt::format("{} than {}", what, first), "expected files of one data set");
}

bool same_vectorizer(const ParsedData& a, const ParsedData& b) {
  if (a.vectorizer == b.vectorizer) return true;
  if (a.vectorizer == nullptr || b.vectorizer == nullptr) return false;
  return vectorizer_to_json(*a.vectorizer) == vectorizer_to_json(*b.vectorizer);
}

// Sees to it that a file goes with the first; `taxonomy` is what that states.
void require_same(ParsedData& file, const std::string& path, const ParsedData& first, const std::string& first_path,
                  const std::optional<Taxonomy>& taxonomy) {
  const Index columns = column_count(file.features);
  const Index wanted = column_count(first.features);
  if (columns != wanted) {
    throw input_error({.file = path}, fmt::format("{} features, and {} has {}", columns, first_path, wanted),
                      "expected files of one data set");
  }
  if (file.feature_names != first.feature_names) throw differs(path, "other names of features", first_path);
  if (file.sample_names.empty() != first.sample_names.empty() && file.labels.samples() > 0 &&
      first.labels.samples() > 0) {
    throw input_error(
        {.file = path},
        fmt::format("{} names of samples, unlike {}", file.sample_names.empty() ? "no" : "has", first_path),
        "expected files of one data set");
  }
  if (file.hierarchy.has_value() != taxonomy.has_value() || (taxonomy && file.hierarchy->build() != *taxonomy)) {
    throw differs(path, "another hierarchy", first_path);
  }
  if (file.labels_are_names != first.labels_are_names || file.path_separator != first.path_separator)
    throw differs(path, "other kinds of labels", first_path);
  // Words are learnt from each file by itself, unless they came with it.
  if (!same_vectorizer(file, first)) throw differs(path, "other words", first_path);
  const bool same_replacement = file.replacement == first.replacement ||
                                (file.replacement && first.replacement && *file.replacement == *first.replacement);
  if (!same_replacement) throw differs(path, "other replacements of missing values", first_path);
}

template <class T>
void place(const DenseMatrix<T>& part, Index row, Index /*value*/, DenseMatrix<T>& whole) {
  std::ranges::copy(part.values, whole.values.begin() + row * whole.columns);
}

template <class T>
void place(const SparseMatrix<T>& part, Index row, Index value, SparseMatrix<T>& whole) {
  for (Index r = 0; r < part.rows; ++r) whole.offsets[row + r + 1] = value + part.offsets[r + 1];
  std::copy_n(part.indices.data(), part.nonzeros(), whole.indices.data() + value);
  std::copy_n(part.values.data(), part.nonzeros(), whole.values.data() + value);
}

template <class Matrix>
Index value_count(const Matrix& matrix) {
  if constexpr (requires { matrix.indices; }) {
    return matrix.nonzeros();
  } else {
    return matrix.values.size();
  }
}

// The rows of all, one below the other; their memory is freed meanwhile.
template <class Matrix>
Matrix stacked(std::vector<FeatureMatrix>& parts, Context& ctx) {
  std::vector<Index> row{0};
  std::vector<Index> value{0};
  for (const FeatureMatrix& part : parts) {
    row.push_back(row.back() + row_count(part));
    value.push_back(value.back() + value_count(std::get<Matrix>(part)));
  }
  Matrix whole;
  whole.rows = row.back();
  whole.columns = column_count(parts.front());
  whole.values = decltype(whole.values)(value.back());
  if constexpr (requires { whole.indices; }) {
    whole.indices = Buffer<FeatureIndex>(value.back());
    whole.offsets = Buffer<Index>(whole.rows + 1);
    whole.offsets[0] = 0;
  }
  parallel_for(ctx, std::ssize(parts), 1, [&](Index k, Index) {
    const auto at = static_cast<std::size_t>(k);
    place(std::get<Matrix>(parts[at]), row[at], value[at], whole);
    parts[at] = Matrix();
  });
  return whole;
}

FeatureMatrix stacked_features(std::vector<ParsedData>& files, const ReadOptions& options, Context& ctx) {
  std::vector<FeatureMatrix> parts;
  for (ParsedData& file : files) parts.push_back(std::move(file.features));
  const auto is_other = [&](const FeatureMatrix& part) { return part.index() != parts.front().index(); };
  if (std::ranges::any_of(parts, is_other)) {
    const Storage storage = std::ranges::any_of(parts, is_sparse) ? Storage::kSparse : Storage::kDense;
    std::vector<std::string> unused;
    for (FeatureMatrix& part : parts) part = stored_as(std::move(part), storage, options.precision, unused, ctx);
  }
  return std::visit(
      [&](const auto& matrix) -> FeatureMatrix { return stacked<std::remove_cvref_t<decltype(matrix)>>(parts, ctx); },
      parts.front());
}

}  // namespace

ParsedData join_parsed(const std::vector<std::string>& paths, std::vector<ParsedData> files, const ReadOptions& options,
                       Context& ctx) {
  ParsedData& first = files.front();
  const std::optional<Taxonomy> taxonomy = first.hierarchy ? std::optional(first.hierarchy->build()) : std::nullopt;
  for (std::size_t k = 1; k < files.size(); ++k) require_same(files[k], paths[k], first, paths.front(), taxonomy);
  ParsedData whole;
  whole.features = stacked_features(files, options, ctx);
  whole.feature_names = std::move(first.feature_names);
  whole.hierarchy = std::move(first.hierarchy);
  whole.labels_are_names = first.labels_are_names;
  whole.path_separator = first.path_separator;
  whole.vectorizer = std::move(first.vectorizer);
  whole.replacement = std::move(first.replacement);
  for (std::size_t k = 0; k < files.size(); ++k) {
    ParsedData& file = files[k];
    whole.labels.append(file.labels, static_cast<Index>(k) * kLinesOfFile);
    std::ranges::move(file.sample_names, std::back_inserter(whole.sample_names));
    if (whole.missing_values == 0) whole.first_missing = file.first_missing;
    whole.missing_values += file.missing_values;
    for (std::string& note : file.notes) {
      if (std::ranges::find(whole.notes, note) == whole.notes.end()) whole.notes.push_back(std::move(note));
    }
    file = {};
  }
  return whole;
}

}  // namespace clade

#pragma once

#include <clade/dataset.h>
#include <clade/io.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "io/assemble.h"
#include "io/parsed.h"

namespace clade::testing {

inline ReadOptions single_precision() {
  ReadOptions options;
  options.precision = Precision::kFloat;
  return options;
}

inline ReadOptions labels_in(const std::string& path) {
  ReadOptions options;
  options.labels_file = path;
  return options;
}

// Runs `work`, which must throw an input Error at `line` whose text contains `piece`.
inline void expect_input_error(Index line, std::string_view piece, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error; expected one with: " << piece;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(piece), std::string_view::npos) << error.what();
  }
}

// The rest of the way from a parsed file to a data set, as read_dataset() does it.
inline Dataset as_dataset(ParsedData parsed) {
  std::vector<std::string> notes;
  const ReadOptions options;
  return assemble(std::move(parsed), "", std::nullopt, options, notes);
}

struct DataShape {
  bool sparse = false;
  bool single = false;
  bool names = false;
  bool dag = false;
  bool several_roots = false;
  bool several_labels = false;
};

inline std::vector<DataShape> all_data_shapes() {
  std::vector<DataShape> shapes;
  shapes.reserve(64);
  for (unsigned bits = 0; bits < 64; ++bits) {
    shapes.push_back(
        {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0, (bits & 16U) != 0, (bits & 32U) != 0});
  }
  return shapes;
}

// A number with all its bits in use, or a missing value now and then.
template <class T>
T random_value(RandomStream& random) {
  return random.below(20) == 0 ? static_cast<T>(std::nan("")) : static_cast<T>(random.normal());
}

template <class T>
DenseMatrix<T> random_dense(Index rows, Index columns, RandomStream& random) {
  DenseMatrix<T> matrix{.rows = rows, .columns = columns, .values = Buffer<T>(rows * columns)};
  for (T& value : matrix.values) value = random.below(3) == 0 ? T(0) : random_value<T>(random);
  return matrix;
}

template <class T>
SparseMatrix<T> random_sparse(Index rows, Index columns, RandomStream& random) {
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> indices;
  std::vector<T> values;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      if (random.below(4) != 0) continue;
      indices.push_back(static_cast<FeatureIndex>(c));
      values.push_back(random_value<T>(random));
    }
    offsets.push_back(std::ssize(indices));
  }
  SparseMatrix<T> matrix{rows, columns, Buffer<Index>(rows + 1), Buffer<FeatureIndex>(std::ssize(indices)),
                         Buffer<T>(std::ssize(indices))};
  std::copy(offsets.begin(), offsets.end(), matrix.offsets.begin());
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

// Node names in an order that is not topological, so that the order of the input matters.
inline Taxonomy random_taxonomy(const DataShape& shape, RandomStream& random) {
  constexpr Index kNodes = 12;
  std::vector<std::string> names;
  names.reserve(kNodes);
  for (Index k = 0; k < kNodes; ++k) names.push_back("knötchen " + std::to_string(k));
  std::vector<std::string> order = names;
  random.shuffle(std::span(order));
  TaxonomyBuilder builder;
  for (const auto& name : order) builder.node(name);
  for (Index k = 1; k < kNodes; ++k) {
    if (shape.several_roots && k < 3) continue;
    const Index parent = random.below(k);
    builder.edge(names[static_cast<std::size_t>(parent)], names[static_cast<std::size_t>(k)]);
    const Index other = random.below(k);
    if (shape.dag && other != parent) {
      builder.edge(names[static_cast<std::size_t>(other)], names[static_cast<std::size_t>(k)]);
    }
  }
  return builder.build();
}

inline LabelSets random_labels(const Taxonomy& taxonomy, Index samples, bool several, RandomStream& random) {
  LabelSets sets;
  const auto leaves = taxonomy.leaves();
  for (Index s = 0; s < samples; ++s) {
    std::vector<NodeId> labels;
    const Index count = several ? random.below(4) : 1;  // none at all is possible
    labels.reserve(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k)
      labels.push_back(leaves[static_cast<std::size_t>(random.below(std::ssize(leaves)))]);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    sets.nodes.insert(sets.nodes.end(), labels.begin(), labels.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  }
  return sets;
}

inline Dataset random_dataset(const DataShape& shape, Index samples, Index features, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream});
  FeatureMatrix matrix = random_dense<double>(samples, features, random);
  if (shape.sparse && shape.single) matrix = random_sparse<float>(samples, features, random);
  if (shape.sparse && !shape.single) matrix = random_sparse<double>(samples, features, random);
  if (!shape.sparse && shape.single) matrix = random_dense<float>(samples, features, random);
  Taxonomy taxonomy = random_taxonomy(shape, random);
  LabelSets labels = random_labels(taxonomy, samples, shape.several_labels, random);
  Dataset::Parts parts{.features = std::move(matrix),
                       .labels = std::move(labels),
                       .taxonomy = std::move(taxonomy),
                       .feature_names = {},
                       .sample_names = {},
                       .vectorizer = nullptr};
  for (Index f = 0; shape.names && f < features; ++f) parts.feature_names.push_back("wört," + std::to_string(f % 7));
  for (Index s = 0; shape.names && s < samples; ++s) parts.sample_names.push_back("sample " + std::to_string(s));
  return Dataset(std::move(parts));
}

// A data set of one matrix whose samples have no labels.
inline Dataset unlabelled(FeatureMatrix matrix) {
  const Index rows = row_count(matrix);
  LabelSets labels;
  labels.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  return Dataset({.features = std::move(matrix),
                  .labels = std::move(labels),
                  .taxonomy = flat_taxonomy({}),
                  .feature_names = {},
                  .sample_names = {},
                  .vectorizer = nullptr});
}

// The values of a matrix by rows, for comparison with a literal.
inline std::vector<std::vector<double>> rows_of(const FeatureMatrix& matrix) {
  std::vector<std::vector<double>> rows;
  std::visit(
      [&](const auto& m) {
        for (Index r = 0; r < m.rows; ++r) {
          std::vector<double> row(static_cast<std::size_t>(m.columns), 0.0);
          if constexpr (requires { m.indices; }) {
            for (std::size_t k = 0; k < m.row_indices(r).size(); ++k) {
              row[static_cast<std::size_t>(m.row_indices(r)[k])] = static_cast<double>(m.row_values(r)[k]);
            }
          } else {
            for (std::size_t k = 0; k < row.size(); ++k) row[k] = static_cast<double>(m.row(r)[k]);
          }
          rows.push_back(std::move(row));
        }
      },
      matrix);
  return rows;
}

// The labels of each sample, joined by '+'.
inline std::vector<std::string> labels_of(const LabelNames& labels) {
  std::vector<std::string> sets;
  for (Index s = 0; s < labels.samples(); ++s) {
    std::string joined;
    for (const std::int32_t label : labels.of(s)) {
      joined += (joined.empty() ? "" : "+") + labels.names()[static_cast<std::size_t>(label)];
    }
    sets.push_back(std::move(joined));
  }
  return sets;
}

}  // namespace clade::testing

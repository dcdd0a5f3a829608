#pragma once

#include <clade/dataset.h>
#include <clade/io.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "core/random.h"
#include "io/assemble.h"
#include "io/format.h"
#include "io/input.h"
#include "io/parsed.h"

// What the tests of CSV and ARFF share.
namespace clade::table_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Reader = ParsedData (*)(const Input&, const ReadOptions&, Context&);
using Writer = void (*)(const Dataset&, const WriteOptions&, Sink&, Context&);

// A default argument of its own makes g++ 12 see uninitialised strings.
inline const ReadOptions& default_options() {
  static const ReadOptions kOptions;
  return kOptions;
}

inline ParsedData read_text(Reader read, std::string_view text, const ReadOptions& options = default_options(),
                            int threads = 2) {
  Context ctx({.threads = threads});
  return read(Input::from_bytes("in", text), options, ctx);
}

// All values of a row, missing zeros filled in.
inline std::vector<double> row(const FeatureMatrix& matrix, Index r) {
  std::vector<double> result(static_cast<std::size_t>(column_count(matrix)), 0.0);
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          for (Index k = m.offsets[r]; k < m.offsets[r + 1]; ++k) {
            result[static_cast<std::size_t>(m.indices[k])] = static_cast<double>(m.values[k]);
          }
        } else {
          for (Index k = 0; k < m.columns; ++k) {
            result[static_cast<std::size_t>(k)] = static_cast<double>(m.row(r)[static_cast<std::size_t>(k)]);
          }
        }
      },
      matrix);
  return result;
}

inline std::vector<std::string> labels(const ParsedData& parsed, Index sample) {
  std::vector<std::string> result;
  for (const std::int32_t label : parsed.labels.of(sample)) {
    result.push_back(parsed.labels.names()[static_cast<std::size_t>(label)]);
  }
  return result;
}

// The error of a call, or a failure of the test.
template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return usage_error("nothing was thrown");
}

inline void expect_error(Reader read, std::string_view text, Index line, std::string_view piece,
                         const ReadOptions& options = default_options()) {
  for (const int threads : {1, 2, 3}) {
    const Error error = error_of([&] { read_text(read, text, options, threads); });
    EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
    EXPECT_EQ(error.where().file, "in") << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr(piece));
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
  }
}

inline bool has_note(const ParsedData& parsed, std::string_view piece) {
  for (const std::string& note : parsed.notes) {
    if (note.find(piece) != std::string::npos) return true;
  }
  return false;
}

// What read_dataset makes of parsed data, with the taxonomy the file carries or else `taxonomy`.
inline Dataset to_dataset(ParsedData parsed, const Taxonomy* taxonomy = nullptr) {
  std::vector<std::string> notes;
  const ReadOptions options;
  std::optional<Taxonomy> given;
  if (taxonomy != nullptr && !parsed.hierarchy) given = *taxonomy;
  return assemble(std::move(parsed), "in", given, options, notes);
}

inline std::string written(Writer write, const Dataset& data) {
  Context ctx({.threads = 1});
  StringSink sink;
  write(data, {}, sink, ctx);
  return sink.text();
}

// A name of letters that make trouble.
inline std::string awkward_name(RandomStream& random, std::string_view letters, Index serial) {
  std::string name;
  for (Index k = random.below(4); k >= 0; --k) {
    name += letters[static_cast<std::size_t>(random.below(static_cast<Index>(letters.size())))];
  }
  return name + std::to_string(serial);
}

inline double random_value(RandomStream& random) {
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return kNaN;
    case 2:
      return random.normal() * 1e-300;
    case 3:
      return random.normal() * 1e30;
    case 4:
      return static_cast<double>(random.below(1000)) / 8;
    default:
      return random.normal();
  }
}

// What no text file can hold is refused, whatever the format.
inline void expect_unwritable_refused(Writer write) {
  const auto refused = [&](double value, const std::string& name) {
    DenseMatrix<double> matrix{.rows = 1, .columns = 1, .values = Buffer<double>(1)};
    matrix.values[0] = value;
    const Dataset data({.features = std::move(matrix),
                        .labels = {.offsets = {0, 0}},
                        .taxonomy = flat_taxonomy({}),
                        .feature_names = {name}});
    EXPECT_THAT(error_of([&] { written(write, data); }).what(), ::testing::HasSubstr("cannot be written as"));
  };
  refused(std::numeric_limits<double>::infinity(), "x");
  refused(1, "caf\xE9");
  refused(1, std::string(1, '\0'));
}

struct RandomCase {
  bool sparse = false;
  bool single_precision = false;
  bool feature_names = false;
  bool sample_names = false;
  Index rows = 20;
  Index columns = 5;
};

template <class T>
FeatureMatrix random_features(RandomStream& random, const RandomCase& c) {
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> indices;
  std::vector<T> values;
  for (Index r = 0; r < c.rows; ++r) {
    for (Index k = 0; k < c.columns; ++k) {
      if (c.sparse && random.below(3) != 0) continue;
      indices.push_back(static_cast<FeatureIndex>(k));
      values.push_back(static_cast<T>(random_value(random)));
    }
    offsets.push_back(static_cast<Index>(values.size()));
  }
  const auto to_buffer = [](const auto& from) {
    Buffer<std::decay_t<decltype(from[0])>> to(static_cast<Index>(from.size()));
    std::copy(from.begin(), from.end(), to.begin());
    return to;
  };
  if (!c.sparse) return DenseMatrix<T>{.rows = c.rows, .columns = c.columns, .values = to_buffer(values)};
  return SparseMatrix<T>{.rows = c.rows,
                         .columns = c.columns,
                         .offsets = to_buffer(offsets),
                         .indices = to_buffer(indices),
                         .values = to_buffer(values)};
}

// Values, names and label sets (most specific ones, some empty) over the taxonomy.
inline Dataset random_dataset(RandomStream& random, const RandomCase& c, const Taxonomy& taxonomy,
                              std::string_view letters) {
  Dataset::Parts parts;
  parts.features = c.single_precision ? random_features<float>(random, c) : random_features<double>(random, c);
  parts.taxonomy = taxonomy;
  for (Index r = 0; r < c.rows; ++r) {
    std::vector<NodeId> nodes;
    for (Index k = random.below(4); k > 0; --k) {
      const auto node = static_cast<NodeId>(random.below(taxonomy.size()));
      const bool related = std::ranges::any_of(nodes, [&](NodeId other) {
        return other == node || taxonomy.is_ancestor(other, node) || taxonomy.is_ancestor(node, other);
      });
      if (!related) nodes.push_back(node);
    }
    std::ranges::sort(nodes);
    parts.labels.nodes.insert(parts.labels.nodes.end(), nodes.begin(), nodes.end());
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  for (Index k = 0; c.feature_names && k < c.columns; ++k) {
    parts.feature_names.push_back(awkward_name(random, letters, k));
  }
  for (Index k = 0; c.sample_names && k < c.rows; ++k) parts.sample_names.push_back(awkward_name(random, letters, k));
  return Dataset(std::move(parts));
}

}  // namespace clade::table_test

#pragma once

#include <clade/dataset.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/output_file.h"
#include "io/assemble.h"
#include "io/format.h"

namespace clade {

inline void require(bool condition) {
  if (!condition) std::abort();
}

// Do the parts of what a reader made fit together?
inline void check_parsed(const ParsedData& parsed) {
  const Index rows = row_count(parsed.features);
  const Index columns = column_count(parsed.features);
  require(parsed.labels.samples() == rows);
  require(parsed.sample_names.empty() || std::ssize(parsed.sample_names) == rows);
  require(parsed.feature_names.empty() || std::ssize(parsed.feature_names) == columns);
  Index missing = 0;
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          require(m.offsets.size() == rows + 1 && m.offsets[0] == 0);
          require(m.indices.size() == m.nonzeros() && m.values.size() == m.nonzeros());
          for (Index r = 0; r < rows; ++r) {
            require(m.offsets[r] <= m.offsets[r + 1]);
            FeatureIndex last = -1;
            for (const FeatureIndex column : m.row_indices(r)) {
              require(column > last && column < columns);
              last = column;
            }
          }
        } else {
          require(m.values.size() == rows * columns);
        }
        for (const auto value : m.values) {
          require(!std::isinf(value));
          missing += std::isnan(value) ? 1 : 0;
        }
      },
      parsed.features);
  require(missing == parsed.missing_values);
}

inline Dataset to_dataset(ParsedData parsed, const Taxonomy* taxonomy) {
  std::vector<std::string> notes;
  const ReadOptions options;
  const auto given = taxonomy != nullptr ? std::optional(*taxonomy) : std::nullopt;
  return assemble(std::move(parsed), "fuzz", given, options, notes);
}

// One run of a table reader on arbitrary bytes. What it accepts fits together and survives being written and read
// again. `with_taxonomy`: the format carries the hierarchy itself. Aborts where that fails.
inline void fuzz_table(std::string_view bytes, const DataFormat& format, const ReadOptions& options,
                       bool with_taxonomy) {
  static Context ctx({.threads = 1});
  std::string text;
  try {
    ParsedData parsed = format.read(Input::from_bytes("fuzz", bytes), options, ctx);
    check_parsed(parsed);
    const Dataset data = to_dataset(std::move(parsed), nullptr);
    StringSink sink;
    format.write(data, WriteOptions(), sink, ctx);
    text = sink.text();

    ReadOptions plain;
    plain.precision = options.precision;
    ParsedData again = format.read(Input::from_bytes("written", text), plain, ctx);
    check_parsed(again);
    if (!format.holds(data).feature_names) {
      require(again.feature_names.empty());
      again.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
    }
    const Taxonomy taxonomy = data.taxonomy();
    require(!difference(data, to_dataset(std::move(again), with_taxonomy ? nullptr : &taxonomy)));
  } catch (const Error& error) {
    // What was written must be readable; before that, bad input and names with a zero byte may be refused.
    require(text.empty());
    require(error.kind() == Error::Kind::kInput || error.kind() == Error::Kind::kSystem);
  }
}

}  // namespace clade

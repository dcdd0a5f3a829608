#include "io/complete_data.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "data/missing.h"
#include "data/storage.h"
#include "io/assemble.h"
#include "io/input.h"
#include "io/labels/label_map.h"

namespace clade {
namespace {

std::optional<Taxonomy> given_taxonomy(const ReadOptions& options, std::vector<std::string>& notes, Context& ctx) {
  if (options.taxonomy.empty()) return std::nullopt;
  LoadedTaxonomy loaded = read_taxonomy(options.taxonomy, options, ctx);
  for (auto& note : loaded.report.notes) notes.push_back("taxonomy: " + note);
  return loaded.taxonomy;
}

// Replaces missing values if the user asked for it; otherwise refuses them.
void handle_missing(ParsedData& parsed, const ReadOptions& options, std::vector<std::string>& notes, Context& ctx) {
  if (options.missing == Missing::kMean || options.missing == Missing::kZero) {
    // Means are kept even if nothing is missing, because new data may lack values.
    const bool by_mean = options.missing == Missing::kMean;
    Index without_values = 0;
    parsed.replacement =
        std::make_shared<const Replacement>(by_mean ? feature_means(parsed.features, without_values) : Replacement());
    if (parsed.missing_values == 0) return;
    const Index replaced = replace_missing(parsed.features, *parsed.replacement, ctx);
    if (replaced == 0) return;  // what is missing is so in rows of other processes
    for (std::string& note : replacement_notes(replaced, by_mean, without_values)) notes.push_back(std::move(note));
    return;
  }
  if (parsed.missing_values == 0) return;
  if (options.missing == Missing::kError || options.missing == Missing::kAuto) {
    throw input_error(parsed.first_missing, fmt::format("missing value ({} in the file)", parsed.missing_values),
                      "say what to do with them: `missing` mean, zero or drop-sample, or keep where they may stay");
  }
}

Dataset without_incomplete_samples(const Dataset& data, std::vector<std::string>& notes) {
  std::vector<Index> rows = complete_rows(data.matrix());
  if (std::ssize(rows) == data.samples()) return data;  // they are rows of other processes
  notes.push_back(fmt::format("{} samples with missing values dropped", data.samples() - std::ssize(rows)));
  return data.subset(std::move(rows));
}

}  // namespace

LoadedData completed(ParsedData parsed, const DataFormat& format, const std::string& name, const ReadOptions& options,
                     std::vector<std::string> notes, Context& ctx) {
  if (!options.label_map.empty()) {
    const LabelMap map = parse_label_map(Input::open(options.label_map, ctx));
    parsed.labels = with_mapped_labels(parsed.labels, map, notes);
  }
  const auto given = given_taxonomy(options, notes, ctx);
  parsed.features = stored_as(std::move(parsed.features), options.storage, options.precision, notes, ctx);
  handle_missing(parsed, options, notes, ctx);
  const Index missing = parsed.missing_values;
  const Index bad = parsed.bad_rows;
  Dataset data = assemble(std::move(parsed), name, given, options, notes);
  if (missing > 0 && options.missing == Missing::kDropSample) data = without_incomplete_samples(data, notes);
  return {std::move(data),
          {.format = std::string(format.name), .missing_values = missing, .bad_rows = bad, .notes = std::move(notes)}};
}

}  // namespace clade

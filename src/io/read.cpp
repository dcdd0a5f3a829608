#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "data/missing.h"
#include "data/storage.h"
#include "io/choose_format.h"
#include "io/input.h"
#include "io/labels/labels.h"
#include "io/meta.h"

namespace clade {
namespace {

ParsedData parse(const std::string& path, const DataFormat& format, const ReadOptions& options, Context& ctx) {
  if (format.read_path != nullptr) return format.read_path(path, options, ctx);
  const Input input = Input::open(path, ctx);
  refuse_other_format(input, format);
  return format.read(input, options, ctx);
}

// What the user gave comes first, then what the data carries, then what the labels imply.
Taxonomy choose_taxonomy(ParsedData& parsed, const std::string& path, const ReadOptions& options,
                         std::vector<std::string>& notes, Context& ctx) {
  if (!options.taxonomy.empty()) {
    LoadedTaxonomy loaded = read_taxonomy(options.taxonomy, options, ctx);
    for (auto& note : loaded.report.notes) notes.push_back("taxonomy: " + note);
    return loaded.taxonomy;
  }
  if (parsed.hierarchy) return parsed.hierarchy->build();
  ReadOptions implied = options;
  if (parsed.labels_are_names) implied.label_paths = LabelPaths::kNo;
  return implied_taxonomy(parsed.labels.names(), implied, path);
}

Dataset handle_missing(Dataset::Parts parts, ParsedData& parsed, const ReadOptions& options,
                       std::vector<std::string>& notes, Context& ctx) {
  if (parsed.missing_values == 0 || options.missing == Missing::kKeep) return Dataset(std::move(parts));
  switch (options.missing) {
    case Missing::kMean:
      replace_missing_by_mean(parts.features, notes, ctx);
      break;
    case Missing::kZero:
      replace_missing_by_zero(parts.features, notes, ctx);
      break;
    case Missing::kDropSample: {
      std::vector<Index> rows = complete_rows(parts.features);
      const Index dropped = row_count(parts.features) - std::ssize(rows);
      notes.push_back(fmt::format("{} samples with missing values dropped", dropped));
      return Dataset(std::move(parts)).subset(std::move(rows));
    }
    default:
      throw input_error(parsed.first_missing, fmt::format("missing value ({} in the file)", parsed.missing_values),
                        "say what to do with them: --missing mean, zero, drop-sample or keep");
  }
  return Dataset(std::move(parts));
}

}  // namespace

LoadedData read_dataset(const std::string& path, const ReadOptions& options, Context& ctx) {
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  ParsedData parsed = parse(path, format, options, ctx);
  std::vector<std::string> notes = std::move(parsed.notes);

  const std::string meta = meta_path(path);
  if (!std::filesystem::is_directory(path) && std::filesystem::exists(meta)) {
    apply_meta(Input::open(meta, ctx), parsed);
    notes.push_back(fmt::format("names and hierarchy completed from {}", meta));
  }

  const Taxonomy taxonomy = choose_taxonomy(parsed, path, options, notes, ctx);
  const std::string& labels_file = parsed.labels_file.empty() ? path : parsed.labels_file;
  LabelSets labels = resolve_labels(parsed.labels, taxonomy, options, labels_file, notes);
  Dataset::Parts parts{
      .features = stored_as(std::move(parsed.features), options.storage, options.precision, notes, ctx),
      .labels = std::move(labels),
      .taxonomy = taxonomy,
      .feature_names = std::move(parsed.feature_names),
      .sample_names = std::move(parsed.sample_names),
      .vectorizer = std::move(parsed.vectorizer)};
  Dataset data = handle_missing(std::move(parts), parsed, options, notes, ctx);
  return {std::move(data),
          {.format = std::string(format.name), .missing_values = parsed.missing_values, .notes = std::move(notes)}};
}

LoadedTaxonomy read_taxonomy(const std::string& path, const ReadOptions& options, Context& ctx) {
  const Input input = Input::open(path, ctx);
  const TaxonomyFormat& format = choose_taxonomy_format(input, options.taxonomy_format);
  ReadReport report{.format = std::string(format.name), .missing_values = 0, .notes = {}};
  TaxonomyBuilder builder = format.read(input, options, report.notes);
  Taxonomy taxonomy = builder.build();
  if (builder.merged_edges() > 0) {
    report.notes.push_back(fmt::format("{} edges are stated twice: kept once", builder.merged_edges()));
  }
  return {std::move(taxonomy), std::move(report)};
}

}  // namespace clade

#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "data/missing.h"
#include "data/storage.h"
#include "io/assemble.h"
#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/input.h"
#include "io/joined_files.h"
#include "io/labels/label_map.h"
#include "io/lines.h"
#include "io/meta.h"
#include "io/text_windows.h"

namespace clade {
namespace {

// Reads a compressed file while it is unpacked. Nothing if it must be unpacked first.
std::optional<ParsedData> parse_windows(const Input& file, const DataFormat& format, const ReadOptions& options,
                                        Context& ctx) {
  if (format.read_windows == nullptr || skips_bad_rows(options) || !is_compressed(file.bytes())) return std::nullopt;
  TextWindows windows(file, ctx);
  windows.next();
  if (is_utf16(windows.text())) return std::nullopt;
  try {
    refuse_other_format(Input::from_bytes(file.name(), windows.text()), format);
    return format.read_windows(windows, options, ctx);
  } catch (const Error& error) {
    // A damaged file is reported as that, whatever its lines hold.
    if (error.kind() == Error::Kind::kInput) check_unpacks(file.name(), file.bytes(), ctx);
    throw;
  }
}

ParsedData parse(const std::string& path, const DataFormat& format, const ReadOptions& options, Context& ctx) {
  check_skipping(path, format, options);
  if (format.read_path != nullptr) return format.read_path(path, options, ctx);
  Input input = Input::open_as_is(path, ctx);
  if (auto parsed = parse_windows(input, format, options, ctx)) return *std::move(parsed);
  input = Input::unpacked_text(std::move(input), ctx);
  refuse_other_format(input, format);
  if (!skips_bad_rows(options)) return format.read(input, options, ctx);
  const GoodRows good = good_rows(input, format, options, ctx);
  write_bad_rows(path, good.bad, options);
  if (good.are_all_bad()) throw no_good_row(path, good.bad);
  ParsedData parsed = format.read(good.input, options, ctx);
  parsed.bad_rows = std::ssize(good.bad);
  if (good.bad.empty()) return parsed;
  parsed.row_numbers = numbers_without(good.bad, row_count(parsed.features));
  parsed.notes.push_back(bad_rows_note(path, good.bad));
  return parsed;
}

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
  notes.push_back(fmt::format("{} samples with missing values dropped", data.samples() - std::ssize(rows)));
  return data.subset(std::move(rows));
}

// What all formats share: the hierarchy, labels, storage and missing values of what was read from `name`.
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

// Refuses what does not go with several files.
void check_joining(const std::vector<std::string>& paths, const DataFormat& format, const ReadOptions& options,
                   Context& ctx) {
  if (skips_bad_rows(options)) throw usage_error("`skip-bad` with several files", "expected one file");
  if (!options.labels_file.empty()) throw usage_error("`labels-file` with several files", "expected one file");
  for (const std::string& path : paths) {
    const DataFormat& own = choose_data_format(path, options.format, ctx);
    if (&own != &format) {
      throw input_error({.file = path}, fmt::format("this is {}, and {} is {}", own.name, paths.front(), format.name),
                        "expected files of one format");
    }
    if (std::filesystem::exists(meta_path(path))) {
      throw input_error({.file = path}, fmt::format("its names are in {}, and cannot be joined", meta_path(path)),
                        "expected CSV or ARFF, which hold their names");
    }
  }
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
  return completed(std::move(parsed), format, path, options, std::move(notes), ctx);
}

LoadedData read_datasets(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx) {
  if (paths.empty()) throw usage_error("no file to read", "expected one at least");
  if (paths.size() == 1) return read_dataset(paths.front(), options, ctx);
  const DataFormat& format = choose_data_format(paths.front(), options.format, ctx);
  check_joining(paths, format, options, ctx);
  const JoinedFiles joined = join_files(paths, format, options, ctx);
  try {
    ParsedData parsed = format.read(joined.input, options, ctx);
    std::vector<std::string> notes = std::move(parsed.notes);
    return completed(std::move(parsed), format, joined.input.name(), options, std::move(notes), ctx);
  } catch (const Error& error) {
    throw Error(error.kind(), joined.origin(error.where()), error.problem(), error.expected());
  }
}

LoadedTaxonomy read_taxonomy(const std::string& path, const ReadOptions& options, Context& ctx) {
  const Input input = Input::open(path, ctx);
  const TaxonomyFormat& format = choose_taxonomy_format(input, options.taxonomy_format);
  ReadReport report{.format = std::string(format.name), .missing_values = 0, .bad_rows = 0, .notes = {}};
  TaxonomyBuilder builder = format.read(input, options, report.notes);
  Taxonomy taxonomy = builder.build();
  if (builder.merged_edges() > 0) {
    report.notes.push_back(fmt::format("{} edges are stated twice: kept once", builder.merged_edges()));
  }
  return {std::move(taxonomy), std::move(report)};
}

}  // namespace clade

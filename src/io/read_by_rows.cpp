#include <clade/error.h>
#include <clade/io.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>

#include "comm/collectives.h"
#include "comm/start.h"
#include "comm/team.h"
#include "core/byte_string.h"
#include "data/fingerprint.h"
#include "data/row_exchange.h"
#include "data/storage.h"
#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/columns/read_records.h"
#include "io/own_rows.h"
#include "io/read_row_ranges.h"

namespace clade {
namespace {

// What would be told from the samples of one process alone is refused, for one process too.
void require_alike(const ReadOptions& options) {
  if (options.missing == Missing::kMean) {
    throw usage_error("`missing` mean: no process has the values of all samples",
                      "expected zero, drop-sample or error");
  }
  if (skips_bad_rows(options)) {
    throw usage_error("`skip-bad` where each process reads some of the rows", "expected files without bad rows");
  }
  if (asks_for_columns(options)) {
    throw usage_error("columns are chosen, by `ignore-columns` or the like, where each process reads some of the rows",
                      "expected a file of features and labels alone: `clade convert` makes one");
  }
}

// A folder is one file only if it holds documents.
void require_parts(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown)) continue;
    throw input_error(
        {.file = path}, "a folder, but not of parts of a data set",
        "expected files with names such as data.part-0001-of-0004.csv: `parts` of clade convert makes them");
  }
}

void require_features(const Dataset& data) {
  if (!data.words() && !holds_sequences(data)) return;
  throw usage_error("words are counted in all samples, and no process has the values of all",
                    "expected features: `clade convert` counts the words of text");
}

// Sparse or dense, as for one process that reads all files.
Storage storage_of_all(const Dataset& own, const ReadOptions& options, Team& team, std::vector<std::string>& notes,
                       Context& ctx) {
  if (options.storage == Storage::kSparse || options.storage == Storage::kDense) return options.storage;
  const FeatureMatrix& matrix = own.matrix();
  const Index values = row_count(matrix) * column_count(matrix);
  const std::string known = ByteWriter().put(is_sparse(matrix)).put(values).put(count_nonzeros(matrix, ctx)).take();
  bool is_some_sparse = false;
  Index all_values = 0;
  Index nonzeros = 0;
  for (const std::string& bytes : all_gather(team.processes(), known)) {
    ByteReader reader(bytes);
    is_some_sparse = reader.get<bool>() || is_some_sparse;
    all_values += reader.get<Index>();
    nonzeros += reader.get<Index>();
  }
  if (is_some_sparse) return Storage::kSparse;
  if (options.storage == Storage::kOfFile) return Storage::kDense;
  if (!is_better_sparse(all_values, nonzeros)) return Storage::kDense;
  notes.push_back(better_sparse_note(all_values, nonzeros));
  return Storage::kSparse;
}

void require_content(const Dataset& data, const std::vector<std::string>& paths) {
  if (data.samples() > 0 && data.features() > 0) return;
  throw input_error({.file = fmt::format("{}", fmt::join(paths, " + "))},
                    data.samples() > 0 ? "no features" : "no samples", "expected some");
}

LoadedData read_as_one_process(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx) {
  LoadedData loaded = read_datasets(paths, options, ctx);
  require_features(loaded.data);
  require_content(loaded.data, paths);
  auto parts = std::make_shared<const RowParts>(RowParts{.first = {0, loaded.data.samples()}, .own = 0});
  loaded.data = loaded.data.with_row_parts(std::move(parts));
  return loaded;
}

void require_file_for_each(const std::vector<std::string>& paths, const DataFormat& format, const Team& team) {
  if (std::ssize(paths) >= team.size()) return;
  const bool is_raw_text = format.write == nullptr;
  throw usage_error(fmt::format("{} file{} of the format {} for {} processes", paths.size(),
                                paths.size() == 1 ? "" : "s", format.name, team.size()),
                    is_raw_text ? "expected features: `clade convert` counts the words of text"
                                : "expected libsvm, csv, tsv or arff, or a file for each process at least: `parts` of "
                                  "clade convert makes them");
}

LoadedData read_own(const std::vector<std::string>& paths, const ReadOptions& options, Team& team, Context& ctx) {
  const DataFormat& format = choose_format_of_all(paths, options.format, ctx);
  if (format.read_rows != nullptr) return read_row_ranges(paths, options, team, ctx);
  require_file_for_each(paths, format, team);
  std::vector<std::string> own;
  for (const std::size_t file : own_files(paths.size(), team)) own.push_back(paths[file]);
  return read_datasets(own, options, ctx);
}

}  // namespace

LoadedData read_by_rows(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx) {
  Team* const team = team_of(ctx);
  require_alike(options);
  require_parts(paths);
  if (team == nullptr || team->size() == 1) return read_as_one_process(paths, options, ctx);
  ReadOptions own_files = options;
  if (options.storage == Storage::kAuto) own_files.storage = Storage::kOfFile;
  LoadedData loaded = read_own(paths, own_files, *team, ctx);
  require_features(loaded.data);
  require_same(team->processes(), "what is known of all files (columns, hierarchy)",
               frame_fingerprint(loaded.data, ctx));
  const Storage storage = storage_of_all(loaded.data, options, *team, loaded.report.notes, ctx);
  loaded.data = with_labels_of_others(loaded.data, storage, *team, ctx);
  require_content(loaded.data, paths);
  return loaded;
}

}  // namespace clade

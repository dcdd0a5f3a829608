#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "core/parallel.h"
#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/complete_data.h"
#include "io/input.h"
#include "io/joined_data.h"
#include "io/joined_files.h"
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

// What a file and, if there is one, its meta file say.
ParsedData parse_with_meta(const std::string& path, const DataFormat& format, const ReadOptions& options,
                           Context& ctx) {
  ParsedData parsed = parse(path, format, options, ctx);
  if (has_meta(path)) apply_meta(Input::open(meta_path(path), ctx), parsed);
  return parsed;
}

// Several files as if they were one.
class FileSet {
 public:
  FileSet(std::string name, std::vector<std::string> paths, const ReadOptions& options, Context& ctx)
      : name_(std::move(name)),
        paths_(std::move(paths)),
        options_(options),
        format_(choose_format_of_all(paths_, options.format, ctx)),
        metas_(count_metas(paths_)) {
    if (skips_bad_rows(options)) throw usage_error("`skip-bad` with several files", "expected one file");
    if (!options.labels_file.empty()) throw usage_error("`labels-file` with several files", "expected one file");
  }

  LoadedData read(Context& ctx) const {
    // The kinds of columns, and words, are told from the text of all files, unless each file comes with what it means.
    if (is_of_lines(format_) && metas_ == 0) return read_joined_text(ctx);
    check_joining();
    std::vector<ParsedData> parsed(paths_.size());
    parallel_for(ctx, std::ssize(paths_), 1, [&](Index k, Index) {
      const auto at = static_cast<std::size_t>(k);
      parsed[at] = parse_with_meta(paths_[at], format_, options_, ctx);
    });
    std::vector<FileLines> files;
    for (const std::string& path : paths_) {
      files.push_back({.file = path, .first_line = std::ssize(files) * kLinesOfFile, .own_line = 0});
    }
    ParsedData whole = join_parsed(paths_, std::move(parsed), options_, ctx);
    if (metas_ > 0) {
      whole.notes.push_back(
          fmt::format("names and hierarchy completed from {} and its like", meta_path(paths_.front())));
    }
    return with_own_places(files, name_, [&] { return completed_from(std::move(whole), ctx); });
  }

 private:
  LoadedData read_joined_text(Context& ctx) const {
    const JoinedFiles joined = join_files(name_, paths_, format_, options_, ctx);
    return with_own_places(joined.files, name_,
                           [&] { return completed_from(format_.read(joined.input, options_, ctx), ctx); });
  }

  LoadedData completed_from(ParsedData parsed, Context& ctx) const {
    std::vector<std::string> notes = std::move(parsed.notes);
    return completed(std::move(parsed), format_, name_, options_, std::move(notes), ctx);
  }

  void check_joining() const {
    const bool is_raw_text = format_.write == nullptr;
    if (is_raw_text && metas_ > 0) {
      throw input_error({.file = paths_.front()}, "documents with a meta file beside them cannot be joined",
                        "expected CSV or ARFF, which hold their names");
    }
    if (is_raw_text) {
      throw input_error({.file = paths_.front()}, fmt::format("files of the format {} cannot be joined", format_.name),
                        "expected JSON lines, text by lines, FASTA, or features");
    }
    require_meta_for_all(paths_, metas_);
  }

  std::string name_;
  std::vector<std::string> paths_;
  const ReadOptions& options_;
  const DataFormat& format_;
  std::size_t metas_;
};

}  // namespace

LoadedData read_dataset(const std::string& path, const ReadOptions& options, Context& ctx) {
  return read_datasets({path}, options, ctx);
}

LoadedData read_datasets(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx) {
  if (paths.empty()) throw usage_error("no file to read", "expected one at least");
  std::vector<std::string> files;
  for (const std::string& path : paths) std::ranges::move(data_files(path, options), std::back_inserter(files));
  if (files.size() > 1) {
    return FileSet(fmt::format("{}", fmt::join(paths, " + ")), std::move(files), options, ctx).read(ctx);
  }
  const std::string& path = files.front();
  const DataFormat& format = choose_data_format(path, options.format, ctx);
  ParsedData parsed = parse_with_meta(path, format, options, ctx);
  std::vector<std::string> notes = std::move(parsed.notes);
  if (has_meta(path)) notes.push_back(fmt::format("names and hierarchy completed from {}", meta_path(path)));
  return completed(std::move(parsed), format, path, options, std::move(notes), ctx);
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

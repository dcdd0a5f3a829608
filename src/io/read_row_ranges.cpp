#include "io/read_row_ranges.h"

#include <clade/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "comm/collectives.h"
#include "comm/start.h"
#include "core/byte_string.h"
#include "io/choose_format.h"
#include "io/complete_data.h"
#include "io/joined_data.h"
#include "io/joined_files.h"
#include "io/meta.h"
#include "io/own_rows.h"
#include "io/parsed.h"

namespace clade {
namespace {

void require_rows(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (paths.size() > 1 && !options.labels_file.empty()) {
    throw usage_error("`labels-file` with several files", "expected one file");
  }
}

void put_labels(const LabelNames& labels, ByteWriter& bytes) {
  std::vector<Index> lines;
  std::vector<Index> counts;
  std::vector<std::int32_t> numbers;
  for (std::size_t k = 0; k < labels.names().size(); ++k) {
    lines.push_back(labels.first_line(static_cast<std::int32_t>(k)));
  }
  for (Index s = 0; s < labels.samples(); ++s) {
    const auto of = labels.of(s);
    counts.push_back(std::ssize(of));
    numbers.insert(numbers.end(), of.begin(), of.end());
  }
  bytes.put(labels.names()).put(lines).put(counts).put(numbers);
}

LabelNames get_labels(ByteReader& bytes) {
  std::vector<std::string> names;
  std::vector<Index> lines;
  std::vector<Index> counts;
  std::vector<std::int32_t> numbers;
  bytes.get(names).get(lines).get(counts).get(numbers);
  LabelNames labels;
  labels.reserve(std::ssize(counts), std::ssize(numbers));
  for (std::size_t k = 0; k < names.size(); ++k) labels.intern(names[k], lines[k]);
  auto next = numbers.begin();
  for (const Index count : counts) {
    for (Index k = 0; k < count; ++k) labels.add(*next++);
    labels.end_sample();
  }
  return labels;
}

// Where the own rows are in their file, of which other processes have the others.
SomeRows place_in_file(const OwnRows& own, Index rows, Team& team) {
  SomeRows place;
  const std::string known = ByteWriter().put(own.file).put(rows).take();
  int process = 0;
  for (const std::string& text : all_gather(team.processes(), known)) {
    ByteReader bytes(text);
    const bool is_of_file = bytes.get<std::size_t>() == own.file;
    const auto some = is_of_file ? bytes.get<Index>() : 0;
    if (process++ < team.rank()) place.first += some;
    place.all += some;
  }
  return place;
}

void widen(FeatureMatrix& features, Index columns) {
  std::visit(
      [&](auto& m) {
        if constexpr (requires { m.indices; }) m.columns = columns;
      },
      features);
}

// Makes of the own rows what one process would make of them among all rows: with the labels of all samples, whose lines
// are counted on from file to file, the columns that any row has, and what is missing in any.
ParsedData among_all(ParsedData own, std::size_t file, Team& team) {
  ByteWriter writer;
  writer.put(column_count(own.features)).put(own.missing_values).put(own.first_missing.file);
  writer.put(own.first_missing.line).put(own.first_missing.column);
  writer.put(file);
  put_labels(own.labels, writer);
  const std::vector<std::string> all = all_gather(team.processes(), writer.take());
  ParsedData result = std::move(own);
  result.labels = {};
  result.missing_values = 0;
  Index columns = 0;
  for (std::size_t process = 0; process < all.size(); ++process) {
    ByteReader bytes(all[process]);
    columns = std::max(columns, bytes.get<Index>());
    const auto missing = bytes.get<Index>();
    Where first;
    bytes.get(first.file).get(first.line).get(first.column);
    if (result.missing_values == 0) result.first_missing = first;
    result.missing_values += missing;
    const auto file_of_rows = static_cast<Index>(bytes.get<std::size_t>());
    if (static_cast<int>(process) == team.rank()) result.first_sample = result.labels.samples();
    result.labels.append(get_labels(bytes), file_of_rows * kLinesOfFile);
  }
  widen(result.features, columns);
  return result;
}

// Files without samples, or features, say what one process says of them, which reads all: there is little to read.
void require_content(const ParsedData& all, const SharedFiles& files, const std::string& name, Context& ctx) {
  const bool has_samples = all.labels.samples() > 0;
  if (has_samples && column_count(all.features) > 0) return;
  read_datasets(files.paths, files.options, ctx);
  throw input_error({.file = name}, has_samples ? "no features" : "no samples", "expected some");
}

// Own rows of several files as those of one.
ParsedData joined(std::vector<ParsedData> parts, const std::vector<std::string>& paths, const ReadOptions& options,
                  Context& ctx) {
  if (parts.size() == 1) return std::move(parts.front());
  Index columns = 0;
  for (const ParsedData& part : parts) columns = std::max(columns, column_count(part.features));
  for (ParsedData& part : parts) widen(part.features, columns);
  return join_parsed(paths, std::move(parts), options, ctx);
}

// Runs the work of each process. If some fail, the first of them says why, so that it is the first error of the data.
template <class Work>
void first_failing(Team& team, const Work& work) {
  std::optional<Error> own;
  try {
    work();
  } catch (const Error& error) {
    own = error;
  }
  const std::vector<std::string> failed = all_gather(team.processes(), own ? "failed" : "");
  const auto first = std::ranges::find_if_not(failed, &std::string::empty) - failed.begin();
  if (first == team.rank()) throw *own;
  if (first < team.size()) barrier(team.processes());  // until it has been told
}

class RangeReader {
 public:
  RangeReader(const SharedFiles& files, Team& team, Context& ctx) : files_(files), team_(team), ctx_(ctx) {}

  // The own rows, with the labels of all.
  ParsedData read() {
    if (std::ssize(files_.paths) < team_.size()) {
      const OwnRows own = find_own_range(files_, team_, ctx_);
      first_failing(team_, [&] { add(own); });
      if (files_.have_metas) add_meta(own, place_in_file(own, row_count(parts_.back().features), team_));
    } else {
      first_failing(team_, [&] {
        for (const std::size_t file : own_files(files_.paths.size(), team_)) {
          const OwnRows own = find_rows_of(file, files_, ctx_);
          add(own);
          if (files_.have_metas) add_meta(own, {.all = row_count(parts_.back().features)});
        }
      });
    }
    return among_all(joined(std::move(parts_), paths_, files_.options, ctx_), first_file_, team_);
  }
  // The place of the first of them.
  std::string place() const { return fmt::format("{} from line {}", paths_.front(), first_line_); }

 private:
  void add(const OwnRows& own) {
    ParsedData parsed = files_.format.read_rows(own.head, own.rows, files_.options, ctx_);
    LabelNames labels;  // with their lines in the file
    labels.append(parsed.labels, own.rows.first_line() - 1);
    parsed.labels = std::move(labels);
    if (parts_.empty()) {
      first_file_ = own.file;
      first_line_ = own.rows.first_line();
    }
    parts_.push_back(std::move(parsed));
    paths_.push_back(files_.paths[own.file]);
    if (files_.have_metas && own.is_first) check_mark(meta_of(own));
  }

  void add_meta(const OwnRows& own, const SomeRows& place) { apply_meta(meta_of(own), parts_.back(), place); }
  Input meta_of(const OwnRows& own) const { return Input::open(meta_path(files_.paths[own.file]), ctx_); }

  const SharedFiles& files_;
  Team& team_;
  Context& ctx_;
  std::size_t first_file_ = 0;
  Index first_line_ = 1;
  std::vector<std::string> paths_;
  std::vector<ParsedData> parts_;
};

// The notes of the leader, which are about the header as well, and those that others have beside them, with the place.
std::vector<std::string> notes_of_all(const std::vector<std::string>& own, const std::string& place, Team& team) {
  const std::vector<std::string> all = all_gather(team.processes(), ByteWriter().put(place).put(own).take());
  std::vector<std::string> notes;
  std::vector<std::string> first;
  for (const std::string& text : all) {
    ByteReader bytes(text);
    const auto where = bytes.get<std::string>();
    const auto some = bytes.get<std::vector<std::string>>();
    const bool is_first = &text == &all.front();
    if (is_first) first = some;
    for (const std::string& note : some) {
      if (is_first) notes.push_back(note);
      if (std::ranges::find(first, note) == first.end()) notes.push_back(fmt::format("{}: {}", where, note));
    }
  }
  return notes;
}

}  // namespace

LoadedData read_row_ranges(const std::vector<std::string>& paths, const ReadOptions& options, Team& team,
                           Context& ctx) {
  require_rows(paths, options);
  const std::size_t metas = count_metas(paths);
  // What the processes tell each other depends on it.
  require_same(team.processes(), "the number of files with a .meta.json beside them", std::to_string(metas));
  require_meta_for_all(paths, metas);
  const SharedFiles shared{.paths = paths,
                           .format = choose_format_of_all(paths, options.format, ctx),
                           .have_metas = metas > 0,
                           .options = options};
  const std::string name = fmt::format("{}", fmt::join(paths, " + "));
  RangeReader reader(shared, team, ctx);
  ParsedData parsed = reader.read();
  require_content(parsed, shared, name, ctx);
  // "No samples" is not worth a note where others have some.
  if (row_count(parsed.features) == 0) parsed.notes.clear();
  std::vector<std::string> notes = std::move(parsed.notes);
  if (metas > 0) {
    notes.push_back(fmt::format("names and hierarchy completed from {}{}", meta_path(paths.front()),
                                paths.size() > 1 ? " and its like" : ""));
  }
  std::vector<FileLines> files;
  for (const std::string& path : paths) {
    files.push_back({.file = path, .first_line = std::ssize(files) * kLinesOfFile, .own_line = 0});
  }
  LoadedData loaded = with_own_places(
      files, name, [&] { return completed(std::move(parsed), shared.format, name, options, std::move(notes), ctx); });
  loaded.report.notes = notes_of_all(loaded.report.notes, reader.place(), team);
  return loaded;
}

}  // namespace clade

#include "io/own_rows.h"

#include <clade/error.h>
#include <clade/team.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "comm/collectives.h"
#include "core/byte_string.h"
#include "io/choose_format.h"
#include "io/growing_bytes.h"
#include "io/joined_files.h"
#include "io/lines.h"
#include "io/meta.h"
#include "io/record_ranges.h"
#include "io/text_windows.h"
#include "io/unpack/unpacker.h"

namespace clade {
namespace {

// A text file, compressed or not, and its beginning.
struct OpenText {
  Input file;
  bool is_compressed = false;
  Input head;
  TextRows rows;
};

void refuse_utf16(const std::string& path, std::string_view head) {
  if (!is_utf16(head)) return;
  throw input_error({.file = path}, "UTF-16, of which no process can read some lines alone",
                    "expected UTF-8, or a file for each process at least: `parts` of clade convert makes them");
}

// As much of a compressed file as tells how to read its rows.
OpenText open_unpacked(Input file, const DataFormat& format, const ReadOptions& options, Context& ctx) {
  const std::string name = file.name();
  TextWindows windows(file, ctx);
  GrowingBytes bytes;
  TextRows rows{.is_told = false};
  for (bool has_more = windows.next();;) {
    bytes.append(windows.text());
    const Input head = Input::from_bytes(name, bytes.view());
    refuse_utf16(name, head.bytes());
    refuse_other_format(head, format);
    rows = format.find_rows(head, options);
    if (rows.is_told || !has_more) break;
    windows.run(0, {});
    has_more = windows.next();
  }
  return {.file = std::move(file),
          .is_compressed = true,
          .head = Input::from_unpacked(name, std::move(bytes)),
          .rows = rows};
}

// A text that is there as a whole.
OpenText opened(const Input& text, const DataFormat& format, const ReadOptions& options) {
  refuse_other_format(text, format);
  const TextRows rows = format.find_rows(text, options);
  return {.file = text, .is_compressed = false, .head = text, .rows = rows};
}

OpenText open_text(const std::string& path, const DataFormat& format, const ReadOptions& options, Context& ctx) {
  Input file = Input::open_as_is(path, ctx);
  if (is_compressed(file.bytes())) return open_unpacked(std::move(file), format, options, ctx);
  refuse_utf16(path, file.bytes());
  return opened(file, format, options);
}

template <class Work>
void for_each_window(const Input& compressed, Context& ctx, const Work& work) {
  TextWindows windows(compressed, ctx);
  while (windows.next() && work(windows.text())) windows.run(0, {});
}

std::size_t unpacked_size(const Input& compressed, Context& ctx) {
  std::size_t size = 0;
  for_each_window(compressed, ctx, [&](std::string_view text) {
    size += text.size();
    return true;
  });
  return size;
}

bool begins_as_utf16(const Input& compressed, Context& ctx) {
  TextWindows windows(compressed, ctx);
  return windows.next() && is_utf16(windows.text());
}

// The beginning of a file of which other processes read the rows. Text in UTF-16 is read as a whole, as they read it.
Input head_of(const std::string& path, const SharedFiles& files, Context& ctx) {
  const Input file = Input::open_as_is(path, ctx);
  if (is_compressed(file.bytes()) && !begins_as_utf16(file, ctx)) {
    return open_unpacked(file, files.format, files.options, ctx).head;
  }
  return opened(Input::unpacked_text(file, ctx), files.format, files.options).head;
}

// How to read the rows of a file. Sees to it that they can follow those of the first.
Input head_for(std::size_t file, const OpenText& own, const SharedFiles& files, Context& ctx) {
  if (file == 0 || files.have_metas) return own.head;
  Input head = head_of(files.paths.front(), files, ctx);
  require_joinable(head, own.head, files.format, files.options);
  return head;
}

std::vector<std::string> metas_of(const std::vector<std::string>& paths) {
  std::vector<std::string> metas;
  for (const std::string& path : paths) metas.push_back(meta_path(path));
  return metas;
}

// The processes of one file.
struct Readers {
  int first = 0;
  int count = 0;
  int own = 0;  // among them
};

Readers readers_of(std::size_t file, const std::vector<std::size_t>& file_of, int rank) {
  const auto first = static_cast<int>(std::ranges::find(file_of, file) - file_of.begin());
  return {.first = first, .count = static_cast<int>(std::ranges::count(file_of, file)), .own = rank - first};
}

// What the readers of a file tell each other: of a compressed one, the first counts its bytes.
std::string facts_of(const OpenText& text, const Readers& readers, Context& ctx) {
  if (!text.is_compressed) {
    return ByteWriter().put(scan_range(text.file.bytes(), text.rows, readers.own, readers.count)).take();
  }
  return readers.own > 0 ? std::string() : ByteWriter().put(unpacked_size(text.file, ctx)).take();
}

Input rows_of_file(const OpenText& text, const Readers& readers, const std::vector<std::string>& facts) {
  std::vector<RangeScan> scans;
  for (int k = 0; k < readers.count; ++k) {
    scans.push_back(ByteReader(facts[static_cast<std::size_t>(readers.first + k)]).get<RangeScan>());
  }
  const RowRange own = row_ranges(scans, text.rows)[static_cast<std::size_t>(readers.own)];
  return text.file.part(own.begin, own.end, own.line);
}

// Unpacks the file up to the end of the own range, and keeps that.
Input rows_of_compressed(const OpenText& text, const Readers& readers, const std::vector<std::string>& facts,
                         Context& ctx) {
  const auto size = ByteReader(facts[static_cast<std::size_t>(readers.first)]).get<std::size_t>();
  const auto begin_of = [&](int k) { return range_begin(text.rows.begin, size, k, readers.count); };
  RangeTaker taker(text.rows, begin_of(readers.own), begin_of(readers.own + 1));
  for_each_window(text.file, ctx, [&](std::string_view lines) {
    taker.add(lines);
    return !taker.is_done();
  });
  Input rows = Input::from_unpacked(text.file.name(), taker.take_rows());
  rows.begin_at_line(taker.first_line());
  return rows;
}

}  // namespace

std::vector<std::size_t> own_files(std::size_t files, const Team& team) {
  const auto begin_of = [&](int rank) {
    return files * static_cast<std::size_t>(rank) / static_cast<std::size_t>(team.size());
  };
  std::vector<std::size_t> own;
  for (std::size_t file = begin_of(team.rank()); file < begin_of(team.rank() + 1); ++file) own.push_back(file);
  return own;
}

OwnRows find_rows_of(std::size_t file, const SharedFiles& files, Context& ctx) {
  const OpenText own = opened(Input::open(files.paths[file], ctx), files.format, files.options);
  Input rows = own.file.part(own.rows.begin, own.file.bytes().size(), own.rows.line);
  return {.file = file, .is_first = true, .head = head_for(file, own, files, ctx), .rows = std::move(rows)};
}

std::vector<std::size_t> file_of_each(const std::vector<std::size_t>& sizes, int processes) {
  std::vector<int> readers(sizes.size(), 1);
  const auto share = [&](std::size_t file) { return static_cast<double>(sizes[file]) / readers[file]; };
  for (int left = processes - static_cast<int>(sizes.size()); left > 0; --left) {
    std::size_t largest = 0;
    for (std::size_t file = 1; file < sizes.size(); ++file) {
      if (share(file) > share(largest)) largest = file;
    }
    ++readers[largest];
  }
  std::vector<std::size_t> file_of;
  for (std::size_t file = 0; file < sizes.size(); ++file) {
    file_of.insert(file_of.end(), static_cast<std::size_t>(readers[file]), file);
  }
  return file_of;
}

OwnRows find_own_range(const SharedFiles& files, Team& team, Context& ctx) {
  // Ranges of several files, of which only the names are the same, would not fit together.
  const FileSamples samples = sample_files(files.paths);
  require_same(team, "the size of the data", fmt::format("{}", fmt::join(samples.sizes, " + ")));
  require_same(team, "the data", samples.hash + (files.have_metas ? sample_files(metas_of(files.paths)).hash : ""));
  const std::vector<std::size_t> file_of = file_of_each(samples.sizes, team.size());
  const std::size_t file = file_of[static_cast<std::size_t>(team.rank())];
  const Readers readers = readers_of(file, file_of, team.rank());
  const OpenText own = open_text(files.paths[file], files.format, files.options, ctx);
  Input head = head_for(file, own, files, ctx);
  const std::vector<std::string> facts = all_gather(team.processes(), facts_of(own, readers, ctx));
  Input rows = own.is_compressed ? rows_of_compressed(own, readers, facts, ctx) : rows_of_file(own, readers, facts);
  return {.file = file, .is_first = readers.own == 0, .head = std::move(head), .rows = std::move(rows)};
}

}  // namespace clade

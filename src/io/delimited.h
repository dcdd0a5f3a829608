#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "core/progress.h"
#include "io/input.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/parsed.h"

// What the readers and writers of CSV and ARFF share. Both readers pass over the memory map twice: first they count the
// rows of fixed chunks of whole lines in parallel, so that each chunk knows its place; then they parse the chunks in
// parallel, directly into that place. Chunks depend on the text alone and findings are joined in chunk order, so the
// result, and the error reported, are those of one pass by one thread.

namespace clade {

// Whole records of a text: where they are in it, and where their rows belong.
struct RowChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  Index rows = 0;
  Index lines = 0;
  Index empty_lines = 0;
  Index sparse_rows = 0;  // ARFF: rows in braces
  bool ascii = true;
  Index first_row = 0;   // 0-based
  Index first_line = 1;  // the line of `begin`, from 1

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

constexpr std::size_t kChunkBytes = 1U << 20U;
// If few bytes of input can stand for many of data, this much is allowed besides ten times the input.
constexpr std::size_t kSpareBytes = 16U << 20U;

// What parsing one chunk finds besides values.
struct ChunkFindings {
  LabelNames labels;
  Index missing = 0;
  Where first_missing;
  Index empty_labels = 0;  // such as the one between the separators of a;;b
};

// The text of a file after a byte order mark, and how its bytes become names.
struct DelimitedText {
  const Input& input;
  std::string_view text;
  bool latin1 = false;

  // Notes a byte order mark. Throws Error if only blanks are left; `expected` says what should be there.
  static DelimitedText of(const Input& input, const ReadOptions& options, std::string_view expected,
                          std::vector<std::string>& notes);

  // A name as UTF-8; the result may live in `scratch`.
  std::string_view decoded(std::string_view raw, std::string& scratch) const;
  // The first byte of `part` that is not UTF-8; the end of `part` if there is none, or if the file is Latin-1.
  const char* first_bad_byte(std::string_view part) const;
  // Throws the Error for such a byte.
  [[noreturn]] void refuse_byte(const char* at, const char* from, Index line) const;
  // The place of `at`, which is at or after `from`; `line` is the line that begins at `from`.
  Where place(const char* from, Index line, const char* at) const;
  // Throws Error if the lines of `rest`, which begins at `line`, end only in carriage returns: it would all be one
  // line.
  void refuse_bare_returns(std::string_view rest, Index line) const;
  void release(const RowChunk& chunk) const;
};

bool is_ascii(std::string_view text);

// Fills the counts of each chunk in parallel (count(chunk) sets rows, lines and empty_lines), then their places.
// Returns the number of rows.
template <class Count>
Index count_rows(Context& ctx, std::string_view text, std::span<RowChunk> chunks, Index first_line, Count&& count) {
  ctx.pool().run(static_cast<Index>(chunks.size()), [&](Index k) {
    ctx.check_cancelled();
    RowChunk& chunk = chunks[static_cast<std::size_t>(k)];
    chunk.ascii = is_ascii(chunk.of(text));
    count(chunk);
  });
  Index rows = 0;
  for (RowChunk& chunk : chunks) {
    chunk.first_row = rows;
    chunk.first_line = first_line;
    rows += chunk.rows;
    first_line += chunk.lines;
  }
  return rows;
}

// Adds the findings of the chunks to `parsed`, in their order.
void collect_findings(std::span<const ChunkFindings> findings, ParsedData& parsed);

// Parses the chunks in parallel with parse(chunk number, findings), releasing pages as they are done, and adds the
// findings to `parsed`.
template <class Parse>
void parse_chunks(Context& ctx, const DelimitedText& text, std::span<const RowChunk> chunks, ParsedData& parsed,
                  Parse&& parse) {
  Progress progress(ctx, "reading", static_cast<Index>(text.text.size()));
  std::vector<ChunkFindings> findings(chunks.size());
  ctx.pool().run(static_cast<Index>(chunks.size()), [&](Index k) {
    ctx.check_cancelled();
    const RowChunk& chunk = chunks[static_cast<std::size_t>(k)];
    parse(k, findings[static_cast<std::size_t>(k)]);
    text.release(chunk);
    progress.advance(static_cast<Index>(chunk.end - chunk.begin));
  });
  collect_findings(findings, parsed);
}

// A number of the requested type, from a whole text.
template <class T>
NumberStatus parse_whole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const NumberResult result = parse_number(text.data(), end, value);
  return result.end == end ? result.status : NumberStatus::kNotNumber;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower_case);
bool is_one_of_ignoring_case(std::string_view text, std::span<const std::string_view> lower_case);

// Columns without names are written as f0, f1, ...; exactly that sequence is read back as "no names".
std::string default_feature_name(Index feature);
bool are_default_names(std::span<const std::string> names);
// Notes how many names occur more than once, and how many are empty.
void note_odd_names(std::span<const std::string> names, std::vector<std::string>& notes);

// Throws Error for names that no text file can hold: bytes that are not UTF-8, or a zero byte.
void refuse_unwritable_names(const Dataset& data, std::string_view format);
// Throws Error for a value that cannot be read back.
[[noreturn]] void refuse_infinite_value(std::string_view format);

// A 1-based column number, as in options; 0 if the text is not one.
Index column_number(std::string_view text);

}  // namespace clade

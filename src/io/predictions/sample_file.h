#pragma once

#include <clade/context.h>
#include <clade/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/csv_record.h"
#include "io/delimited.h"
#include "io/predictions/sample_index.h"

// Files about the samples of a data set: CSV with a header, whose columns are found by name. Rows are counted first, in
// fixed chunks and in parallel, so that each chunk can be parsed directly into its place.

namespace clade {

struct SampleFile {
  DelimitedText text;
  char delimiter = ',';
  bool has_quotes = false;
  std::vector<std::string> header;
  Index header_line = 1;
  std::vector<RowChunk> chunks;
  Index rows = 0;

  // Finds header and rows. The delimiter is the comma or tab that gives the header all `required` columns. Throws Error
  // if there are only blanks, or if the header is not UTF-8 or lacks a required column; `form` says what a header
  // should be.
  static SampleFile of(const Input& input, std::string_view form, std::initializer_list<std::string_view> required,
                       Context& ctx);

  // The 0-based column with a name, in any case; -1 if there is none. Throws Error if there are two.
  Index column(std::string_view lower_case) const;
  Index columns() const { return static_cast<Index>(header.size()); }
  // The line of a row, found by scanning its chunk again; for messages.
  Where at_row(Index row) const;

  // Throws Error if the data has samples and the file no rows.
  void refuse_header_alone(const Dataset& data) const;
  // Throws Error if any sample lacks `what`, as is_missing(sample) says.
  template <class IsMissing>
  void refuse_missing_samples(const Dataset& data, std::string_view what, IsMissing&& is_missing) const {
    Index missing = 0;
    Index first = -1;
    for (Index s = 0, samples = data.samples(); s < samples; ++s) {
      if (is_missing(s) && missing++ == 0) first = s;
    }
    if (missing > 0) refuse_missing(data, what, first, missing);
  }

  // Throws the Error for the byte at `at`, which is not UTF-8; `line` is that of `from`.
  [[noreturn]] void refuse_byte(const char* at, const char* from, Index line) const;
  [[noreturn]] static void refuse_quotes(const Where& where);

 private:
  [[noreturn]] void refuse_missing(const Dataset& data, std::string_view what, Index first, Index missing) const;
};

// Walks the rows of one chunk and gives the fields of the wanted columns. Costs little more than finding the fields:
// their text stays in the file unless quotes have to be undone.
template <std::size_t kWanted>
class SampleRows {
 public:
  // `columns` are those wanted; -1 is for one that does not exist.
  SampleRows(const SampleFile& file, const RowChunk& chunk, const std::array<Index, kWanted>& columns)
      : file_(file),
        chunk_(chunk),
        rest_(chunk.of(file.text.text)),
        text_end_(file.text.text.data() + file.text.text.size()),
        bad_(chunk.ascii ? rest_.data() + rest_.size() : file.text.first_bad_byte(rest_)),
        line_(chunk.first_line),
        row_(chunk.first_row - 1),
        wanted_(file.header.size(), kWanted) {
    for (std::size_t k = 0; k < kWanted; ++k) {
      if (columns[k] >= 0) wanted_[static_cast<std::size_t>(columns[k])] = k;
    }
  }

  // Moves to the next row, if there is one. Throws Error on a byte that is not UTF-8, on unclosed quotes, and if the
  // number of fields differs from the header's.
  bool next() {
    while (!rest_.empty()) {
      Index lines = 1;
      const std::string_view record =
          file_.has_quotes ? take_csv_record(rest_, file_.delimiter, lines) : take_line(rest_);
      if (bad_ < record.data() + record.size()) file_.refuse_byte(bad_, chunk_start(), chunk_.first_line);
      if (!record.empty()) split(record);
      line_ += lines;
      if (record.empty()) continue;
      ++row_;
      return true;
    }
    return false;
  }

  Index row() const { return row_; }
  // A field as it is in the file, without surrounding quotes.
  std::string_view raw(std::size_t wanted) const {
    return {fields_[wanted].begin, static_cast<std::size_t>(fields_[wanted].end - fields_[wanted].begin)};
  }
  // The text of a field, without quotes or surrounding blanks; valid until next().
  std::string_view text(std::size_t wanted) {
    const std::string_view stands = raw(wanted);
    const bool quoted = fields_[wanted].quoted;
    const bool clean = !quoted && !stands.empty() && is_ink(stands.front()) && is_ink(stands.back());
    return clean ? stands : csv_field_text({.raw = stands, .quoted = quoted}, scratch_[wanted]);
  }
  // The place of a field, for messages.
  Where place(std::size_t wanted) const { return place(fields_[wanted].begin); }

 private:
  struct Field {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool quoted = false;
  };

  static bool is_ink(char c) { return static_cast<unsigned char>(c) > ' '; }

  void split(std::string_view record) {
    const char* at = record.data();
    const char* end = at + record.size();
    const std::size_t columns = wanted_.size();
    for (std::size_t column = 0;; ++column) {
      take_field(at, end, fields_[wanted_[column]]);
      const bool last = column + 1 == columns;
      if (at == end && last) return;
      if (at == end || last) refuse_count(record);
      ++at;
    }
  }

  void take_field(const char*& at, const char* end, Field& field) const {
    field.begin = at;
    field.quoted = at != end && *at == '"';
    if (field.quoted) {
      const CsvField found = take_csv_field(at, end, file_.delimiter);
      if (!found.closed) SampleFile::refuse_quotes(place(field.begin));
      field.begin = found.raw.data();
      field.end = field.begin + found.raw.size();
    } else {
      at = delimiter_or_end(at, end);
      field.end = at;
    }
  }

  // Eight bytes at a time, as far as the text goes: fields are short, and the processor would mispredict the end of a
  // loop over their bytes.
  const char* delimiter_or_end(const char* at, const char* end) const {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    const std::uint64_t pattern = kOnes * static_cast<unsigned char>(file_.delimiter);
    for (; text_end_ - at >= 8; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      word ^= pattern;
      const std::uint64_t zero_bytes = (word - kOnes) & ~word & (kOnes << 7U);  // the lowest one is exact
      if (zero_bytes != 0) return std::min(end, at + std::countr_zero(zero_bytes) / 8);
      if (end - at <= 8) return end;
    }
    return std::find(at, end, file_.delimiter);
  }

  [[noreturn]] void refuse_count(std::string_view record) const {
    const Index found = count_csv_fields(record, file_.delimiter);
    throw input_error(file_.text.input.at_line(line_), std::to_string(found) + (found == 1 ? " column" : " columns"),
                      "expected " + std::to_string(file_.columns()) + " as in the header");
  }

  const char* chunk_start() const { return file_.text.text.data() + chunk_.begin; }
  Where place(const char* at) const { return file_.text.place(chunk_start(), chunk_.first_line, at); }

  const SampleFile& file_;
  const RowChunk& chunk_;
  std::string_view rest_;
  const char* text_end_;
  const char* bad_;  // the first byte that is not UTF-8, or the end
  Index line_;
  Index row_;
  std::vector<std::size_t> wanted_;        // by column; kWanted: not wanted
  std::array<Field, kWanted + 1> fields_;  // the last one takes fields that are not wanted
  std::array<std::string, kWanted> scratch_;
};

// The sample that a field names; `before` is that of the previous row, or -1. Throws Error if the data has no such
// sample.
template <std::size_t kWanted>
Index find_sample(SampleRows<kWanted>& rows, std::size_t wanted, const SampleIndex& index, Index before) {
  const std::string_view text = rows.text(wanted);
  const Index sample = index.find(text, before);
  if (sample < 0) throw index.unknown(text, rows.place(wanted));
  return sample;
}

// Calls parse(chunk number) for all chunks in parallel, releasing their pages as they are done.
template <class Parse>
void parse_sample_chunks(Context& ctx, const SampleFile& file, Parse&& parse) {
  Progress progress(ctx, "reading", static_cast<Index>(file.text.text.size()));
  ctx.pool().run(static_cast<Index>(file.chunks.size()), [&](Index k) {
    ctx.check_cancelled();
    const RowChunk& chunk = file.chunks[static_cast<std::size_t>(k)];
    parse(k);
    file.text.release(chunk);
    progress.advance(static_cast<Index>(chunk.end - chunk.begin));
  });
}

}  // namespace clade

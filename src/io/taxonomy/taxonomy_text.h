#pragma once

#include <clade/io.h>

#include <string>
#include <string_view>

#include "io/input.h"
#include "io/lines.h"

namespace clade {

// What the readers of taxonomy files share: the text of a file as UTF-8 without a byte order mark.
class TaxonomyText {
 public:
  // Throws Error with the place of the first byte that is not UTF-8, unless options.encoding says Latin-1.
  // `input` must outlive this.
  TaxonomyText(const Input& input, const ReadOptions& options);
  TaxonomyText(const TaxonomyText&) = delete;
  TaxonomyText& operator=(const TaxonomyText&) = delete;

  std::string_view text() const { return text_; }
  // Line and column (in characters) of a byte of text(); O(offset), for messages only.
  Where at(std::size_t offset) const;
  // The same for a part of text(): a view into it.
  Where at(std::string_view part) const { return at(static_cast<std::size_t>(part.data() - text_.data())); }

  // Throws Error if a reader found no node at all; `expected` says what such a file looks like.
  void require_nodes(const TaxonomyBuilder& builder, std::string_view expected) const;

 private:
  const Input& input_;
  std::string converted_;  // from Latin-1; otherwise unused
  std::string_view text_;
};

// Lines with their numbers, counted from 1.
class NumberedLines {
 public:
  explicit NumberedLines(std::string_view text) : rest_(text) {}
  // Moves to the next line, without its end; false behind the last.
  bool next(std::string_view& line);
  Index number() const { return number_; }

 private:
  std::string_view rest_;
  Index number_ = 0;
};

// Can a line-based format without quotes hold this name so that it reads back the same: not empty, no line end, no
// blank or byte order mark at its ends?
bool fits_on_a_line(std::string_view name);

// A name in quotes for a message: one line, cut if it is long.
std::string quoted_name(std::string_view name);

}  // namespace clade

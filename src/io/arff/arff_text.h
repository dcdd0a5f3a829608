#pragma once

#include <string>
#include <string_view>

namespace clade {

// Words of ARFF: plain, or in single or double quotes, in which a backslash makes the next character plain text
// (\n, \r and \t stand for control characters).

struct ArffWord {
  std::string_view text;  // unquoted; without blanks around it if it was plain
  bool quoted = false;
  bool closed = true;  // false: the closing quote is missing, or something other than a stop follows it
};

void skip_blanks(const char*& at, const char* end);

// Takes the word at `at`, which moves to the first of `stops` behind it, or to `end`. Blanks before and behind it are
// skipped. The text may live in `scratch`.
ArffWord take_arff_word(const char*& at, const char* end, std::string_view stops, std::string& scratch);

// Appends a word so that it is read back as it is: quoted where it must be.
void append_arff_word(std::string& text, std::string_view word);
void append_arff_quoted(std::string& text, std::string_view word);

}  // namespace clade

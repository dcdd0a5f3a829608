#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/input.h"

namespace clade {

// How inflected words of one part of speech are brought to base forms by their ends: {"ies", "y"} makes "ponies" a
// "pony".
struct Detachment {
  std::string_view ending;
  std::string_view replacement;
};

// One part of speech of WordNet: three files.
class WordNetPart {
 public:
  struct Files {
    Input index;       // index.noun: words and where their meanings stand in `data`
    Input data;        // data.noun: meanings
    Input exceptions;  // noun.exc: irregular forms
  };

  // `letter` is that of the part in the files: n or v. Throws Error (kInput) with the place of a line that is none of
  // such a file.
  WordNetPart(Files files, char letter);

  char letter() const { return letter_; }
  // Where the first meaning of a word stands, in lower case and with low lines for blanks, as it is.
  std::optional<std::size_t> find(std::string_view word) const;
  // Words of WordNet that this one may be a form of, likeliest first (its own morphology, morphy(7WN)): those that are
  // listed for it, and those that it becomes by cutting off or replacing endings.
  std::vector<std::string> irregular_bases(std::string_view word) const;
  std::vector<std::string> regular_bases(std::string_view word) const;

  struct Meaning {
    std::string_view word;            // the first of those that have it
    std::optional<std::size_t> kind;  // what it is a kind of, or an instance of
  };
  // Throws Error (kInput) where the data file has no meaning.
  Meaning meaning(std::size_t offset) const;

 private:
  void read_index();
  void read_exceptions();
  // Adds a word to others if WordNet has it.
  void add_known(std::string word, std::vector<std::string>& words) const;

  Files files_;
  char letter_;
  std::vector<std::pair<std::string_view, std::size_t>> words_;           // ascending
  std::vector<std::pair<std::string_view, std::string_view>> irregular_;  // a form and its base, ascending by form
};

}  // namespace clade

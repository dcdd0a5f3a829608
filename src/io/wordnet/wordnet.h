#pragma once

#include <clade/context.h>

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/input.h"

namespace clade {

// How the endings of inflected words of one part of speech are replaced to get base forms: {"ies", "y"} makes "ponies"
// a "pony".
struct Detachment {
  std::string_view ending;
  std::string_view replacement;
};

// One part of speech of WordNet: three files.
class WordNetPart {
 public:
  struct Files {
    Input index;       // index.noun: words, and where their meanings are in `data`
    Input data;        // data.noun: meanings
    Input exceptions;  // noun.exc: irregular forms
  };

  // Those of a folder: `name` is noun or verb. Throws Error (kInput) if the folder does not have them.
  static WordNetPart open(const std::string& folder, const std::string& name, Context& ctx);
  // `letter` stands for the part of speech in the files: n or v. Throws Error (kInput) with the place of a line that
  // does not belong to such a file.
  WordNetPart(Files files, char letter);

  char letter() const { return letter_; }
  // The place of a word's first meaning. The word is taken as it is: in lower case, with underscores for blanks.
  std::optional<std::size_t> find(std::string_view word) const;
  // The place of its n-th meaning, from 1 in WordNet's order: the most frequent comes first.
  std::optional<std::size_t> find(std::string_view word, std::size_t sense) const;
  // Words of WordNet that this one may be a form of, likeliest first (by WordNet's own morphology, morphy(7WN)): those
  // listed for it, and those obtained by cutting off or replacing endings.
  std::vector<std::string> irregular_bases(std::string_view word) const;
  std::vector<std::string> regular_bases(std::string_view word) const;

  // A line of the data file.
  struct Meaning {
    std::size_t offset = 0;               // its place
    std::vector<std::string_view> words;  // that have this meaning, at least one; with underscores for blanks
    std::vector<std::size_t> kinds;       // the places of what it is a kind or an instance of, in the line's order
    std::string_view gloss;               // an explanation, and examples in quotes

    std::optional<std::size_t> first_kind() const { return kinds.empty() ? std::nullopt : std::optional(kinds[0]); }
  };
  // Throws Error (kInput) if the data file has no meaning there.
  Meaning meaning(std::size_t offset) const;
  // All of the data file, in its order; places ascend. Throws Error (kInput) with a line that is not one of them.
  std::vector<Meaning> meanings() const;
  // Which of the meanings of a word, from 1, is the one at `offset`? Case does not matter. Throws Error (kInput) if the
  // index does not say.
  std::size_t sense_number(std::string_view word, std::size_t offset) const;

  const Input& data() const { return files_.data; }

 private:
  void read_index();
  void read_exceptions();
  // Where the meanings of a word are, as the index has it; empty if it does not have the word.
  std::string_view offsets_of(std::string_view word) const;
  // The line of the data file that begins there; nothing if it is not a meaning.
  std::optional<Meaning> parsed(std::size_t offset, std::string_view line) const;
  // Adds a word to `words` if WordNet has it.
  void add_known(std::string word, std::vector<std::string>& words) const;

  Files files_;
  char letter_;
  std::vector<std::pair<std::string_view, std::size_t>> words_;           // ascending
  std::vector<std::pair<std::string_view, std::string_view>> irregular_;  // a form and its base, ascending by form
};

// The nouns and verbs of WordNet (Miller 1995), read from the text files of its distribution: index.noun, data.noun,
// noun.exc and the same for verbs. Of the large files, only what is needed is read.
class WordNet {
 public:
  enum class Part { kNoun, kVerb };

  // A meaning: words that share it, and what it is a kind of.
  struct Synset {
    Part part;
    std::size_t offset;  // its place in the data file
    friend auto operator<=>(const Synset&, const Synset&) = default;
  };

  // Where Debian's package wordnet-base installs it.
  static constexpr std::string_view kFolder = "/usr/share/wordnet";

  // Throws Error (kInput) if the folder has no WordNet, or other files.
  static WordNet open(const std::string& folder, Context& ctx);
  WordNet(WordNetPart nouns, WordNetPart verbs) : parts_{std::move(nouns), std::move(verbs)} {}

  // The most frequent meaning of a word: as it stands, else of the word that it is an irregular form of, else of the
  // one that it is a regular form of; each time as a noun, else as a verb. Case does not matter, and a blank is the
  // same as an underscore.
  std::optional<Synset> first_sense(std::string_view word) const;

  // The n-th meaning of a noun, from 1: of the word as it stands, else of the one that it is an irregular or a regular
  // form of. Case and blanks as above.
  std::optional<Synset> noun_sense(std::string_view word, std::size_t sense) const;

  // A synset, what it is a kind of (the first if there are several), what that is a kind of, and so on.
  std::vector<Synset> kinds(Synset synset) const;

  // The first word of a synset, such as "carnivore (n)".
  std::string name(Synset synset) const;

  const WordNetPart& part(Part which) const { return parts_[static_cast<std::size_t>(which)]; }

 private:
  WordNetPart parts_[2];
};

}  // namespace clade

#pragma once

#include <clade/context.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/wordnet/wordnet_part.h"

namespace clade {

// The nouns and verbs of WordNet (Miller 1995), read from the text files of its distribution: index.noun, data.noun,
// noun.exc and the same for verbs. Only what is asked for is read of the large files.
class WordNet {
 public:
  enum class Part { kNoun, kVerb };

  // A meaning: words that share it, and what it is a kind of.
  struct Synset {
    Part part;
    std::size_t offset;  // its place in the data file
    friend auto operator<=>(const Synset&, const Synset&) = default;
  };

  // Where Debian's package wordnet-base puts it.
  static constexpr std::string_view kFolder = "/usr/share/wordnet";

  // Throws Error (kInput): a folder without WordNet, or files that are something else.
  static WordNet open(const std::string& folder, Context& ctx);
  WordNet(WordNetPart nouns, WordNetPart verbs) : parts_{std::move(nouns), std::move(verbs)} {}

  // The most frequent meaning of a word: as it stands, else of the word that it is an irregular form of, else of the
  // one that it is a regular form of; each time as a noun, else as a verb. Case does not matter, and a blank is as good
  // as a low line.
  std::optional<Synset> first_sense(std::string_view word) const;

  // A synset, what it is a kind of (the first, where there are several), what that is a kind of, ...
  std::vector<Synset> kinds(Synset synset) const;

  // Its first word, such as "carnivore (n)".
  std::string name(Synset synset) const;

  const WordNetPart& part(Part which) const { return parts_[static_cast<std::size_t>(which)]; }

 private:
  WordNetPart parts_[2];
};

}  // namespace clade

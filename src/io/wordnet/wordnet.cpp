#include "io/wordnet/wordnet.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace clade {
namespace {

constexpr std::size_t kLongest = 200;  // steps up; the real ones have at most 20

WordNetPart open_part(const std::string& folder, const std::string& name, Context& ctx) {
  const auto open = [&](const std::string& file) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      throw input_error({.file = folder}, fmt::format("no WordNet there ({} is missing)", file),
                        "expected the package wordnet-base, or the folder of a WordNet by `wordnet`");
    }
    return Input::open(path, ctx);
  };
  return WordNetPart({open("index." + name), open("data." + name), open(name + ".exc")}, name[0]);
}

// As the index has it.
std::string as_lemma(std::string_view word) {
  std::string lemma(word);
  for (char& c : lemma) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '_';
  }
  return lemma;
}

}  // namespace

WordNet WordNet::open(const std::string& folder, Context& ctx) {
  WordNetPart nouns = open_part(folder, "noun", ctx);
  return {std::move(nouns), open_part(folder, "verb", ctx)};
}

std::optional<WordNet::Synset> WordNet::first_sense(std::string_view word) const {
  const std::string lemma = as_lemma(word);
  for (const Part which : {Part::kNoun, Part::kVerb}) {
    if (const auto offset = part(which).find(lemma)) return Synset{which, *offset};
  }
  for (const auto& bases_of : {&WordNetPart::irregular_bases, &WordNetPart::regular_bases}) {
    for (const Part which : {Part::kNoun, Part::kVerb}) {
      const std::vector<std::string> bases = (part(which).*bases_of)(lemma);
      if (!bases.empty()) return Synset{which, *part(which).find(bases.front())};
    }
  }
  return std::nullopt;
}

std::vector<WordNet::Synset> WordNet::kinds(Synset synset) const {
  std::vector<Synset> chain{synset};
  for (auto kind = part(synset.part).meaning(synset.offset).kind; kind; kind = part(synset.part).meaning(*kind).kind) {
    const Synset next{synset.part, *kind};
    // A few verbs are kinds of each other.
    if (chain.size() == kLongest || std::ranges::find(chain, next) != chain.end()) break;
    chain.push_back(next);
  }
  return chain;
}

std::string WordNet::name(Synset synset) const {
  std::string word(part(synset.part).meaning(synset.offset).word);
  std::ranges::replace(word, '_', ' ');
  return fmt::format("{} ({})", word, part(synset.part).letter());
}

}  // namespace clade

#include "io/wordnet/wordnet.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "io/lines.h"

namespace clade {
namespace {

constexpr std::size_t kOffsetDigits = 8;

// The rules of morphy(7WN).
constexpr Detachment kNounRules[] = {{"s", ""},      {"ses", "s"},   {"xes", "x"},   {"zes", "z"},
                                     {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"}};
constexpr Detachment kVerbRules[] = {{"s", ""},   {"ies", "y"}, {"es", "e"},  {"es", ""},
                                     {"ed", "e"}, {"ed", ""},   {"ing", "e"}, {"ing", ""}};

// The next word of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::size_t> number(std::string_view word, int base = 10) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Calls visit(line, number) for all lines except those of the licence, which begin with a blank.
template <class Visit>
void for_each_line(const Input& input, Visit&& visit) {
  std::string_view rest = input.bytes();
  for (Index line_number = 1; !rest.empty(); ++line_number) {
    const std::string_view line = take_line(rest);
    if (!line.empty() && line[0] != ' ') visit(line, line_number);
  }
}

// The word as the index spells it.
std::string as_lemma(std::string_view word) {
  std::string lemma(word);
  for (char& c : lemma) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '_';
  }
  return lemma;
}

// LEMMA n MEANINGS POINTERS [POINTER...] MEANINGS TAGGED OFFSET [OFFSET...]: what follows TAGGED.
std::string_view offsets_in(std::string_view rest, char letter) {
  if (take_word(rest) != std::string_view(&letter, 1) || !number(take_word(rest))) return {};
  const auto pointers = number(take_word(rest));
  if (!pointers || *pointers > rest.size()) return {};
  for (std::size_t k = 0; k < *pointers + 2; ++k) take_word(rest);
  return rest;
}

std::optional<std::size_t> take_offset(std::string_view& rest) {
  const std::string_view offset = take_word(rest);
  return offset.size() == kOffsetDigits ? number(offset) : std::nullopt;
}

}  // namespace

WordNetPart::WordNetPart(Files files, char letter) : files_(std::move(files)), letter_(letter) {
  read_index();
  read_exceptions();
}

void WordNetPart::read_index() {
  for_each_line(files_.index, [&](std::string_view line, Index line_number) {
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    std::string_view offsets = offsets_in(rest, letter_);
    const auto offset = take_offset(offsets);
    if (!offset) {
      throw input_error(files_.index.at_line(line_number), "not a line of a WordNet index",
                        fmt::format("expected WORD {} COUNT COUNT ... OFFSET", letter_));
    }
    words_.emplace_back(word, *offset);
  });
  if (words_.empty()) throw input_error({.file = files_.index.name()}, "no words", "expected an index of WordNet");
  std::sort(words_.begin(), words_.end());
}

void WordNetPart::read_exceptions() {
  for_each_line(files_.exceptions, [&](std::string_view line, Index line_number) {
    std::string_view rest = line;
    const std::string_view form = take_word(rest);
    std::string_view base = take_word(rest);
    if (base.empty()) {
      throw input_error(files_.exceptions.at_line(line_number), "a form without a base", "expected FORM BASE");
    }
    for (; !base.empty(); base = take_word(rest)) irregular_.emplace_back(form, base);
  });
  // Bases of the same form keep their order: the addresses of the views tell which came first.
  std::sort(irregular_.begin(), irregular_.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.data() < b.second.data();
  });
}

std::optional<std::size_t> WordNetPart::find(std::string_view word) const {
  const auto entry = std::ranges::lower_bound(words_, word, {}, &std::pair<std::string_view, std::size_t>::first);
  if (entry == words_.end() || entry->first != word) return std::nullopt;
  return entry->second;
}

std::string_view WordNetPart::offsets_of(std::string_view word) const {
  const auto entry = std::ranges::lower_bound(words_, word, {}, &std::pair<std::string_view, std::size_t>::first);
  if (entry == words_.end() || entry->first != word) return {};
  // The words are views of the index: the rest of the line follows.
  const std::string_view bytes = files_.index.bytes();
  std::string_view rest = bytes.substr(static_cast<std::size_t>(entry->first.data() - bytes.data()) + word.size());
  return offsets_in(take_line(rest), letter_);
}

std::optional<std::size_t> WordNetPart::find(std::string_view word, std::size_t sense) const {
  std::string_view offsets = offsets_of(word);
  for (std::size_t k = 1; k < sense && !offsets.empty(); ++k) take_word(offsets);
  return sense > 0 ? take_offset(offsets) : std::nullopt;
}

void WordNetPart::add_known(std::string word, std::vector<std::string>& words) const {
  if (find(word) && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

std::vector<std::string> WordNetPart::irregular_bases(std::string_view word) const {
  std::vector<std::string> bases;
  using Irregular = std::pair<std::string_view, std::string_view>;
  for (const auto& entry : std::ranges::equal_range(irregular_, word, {}, &Irregular::first)) {
    add_known(std::string(entry.second), bases);
  }
  return bases;
}

std::vector<std::string> WordNetPart::regular_bases(std::string_view word) const {
  std::vector<std::string> bases;
  const bool is_verb = letter_ == 'v';
  // "boxesful" is a form of "boxful"; words that end in "ss" and words of two letters are no plurals.
  const bool is_full = !is_verb && word.ends_with("ful");
  if (is_full) word.remove_suffix(3);
  if (!is_verb && !is_full && (word.ends_with("ss") || word.size() <= 2)) return bases;
  for (const Detachment& rule : is_verb ? std::span<const Detachment>(kVerbRules) : kNounRules) {
    if (!word.ends_with(rule.ending)) continue;
    std::string base(word.substr(0, word.size() - rule.ending.size()));
    add_known(base.append(rule.replacement).append(is_full ? "ful" : ""), bases);
  }
  return bases;
}

// OFFSET FILE n WORDS [WORD ID...] POINTERS [SYMBOL OFFSET n SOURCE...] | GLOSS
std::optional<WordNetPart::Meaning> WordNetPart::parsed(std::size_t offset, std::string_view line) const {
  Meaning meaning{.offset = offset, .words = {}, .kinds = {}, .gloss = {}};
  const std::size_t bar = line.find(" | ");
  std::string_view rest = line.substr(0, bar);
  if (bar != std::string_view::npos) meaning.gloss = trim(line.substr(bar + 3));
  if (number(take_word(rest)) != offset) return std::nullopt;
  take_word(rest);
  take_word(rest);
  const auto words = number(take_word(rest), 16);
  if (!words || *words == 0 || *words > rest.size()) return std::nullopt;
  for (std::size_t k = 0; k < *words; ++k) {
    meaning.words.push_back(take_word(rest));
    take_word(rest);
  }
  const auto pointers = number(take_word(rest));
  if (meaning.words.back().empty() || !pointers || *pointers > rest.size()) return std::nullopt;
  for (std::size_t k = 0; k < *pointers; ++k) {
    const std::string_view symbol = take_word(rest);
    const auto target = number(take_word(rest));
    const std::string_view part = take_word(rest);
    if (!target || take_word(rest).empty()) return std::nullopt;
    if (symbol != "@" && symbol != "@i") continue;
    if (part == std::string_view(&letter_, 1)) meaning.kinds.push_back(*target);
  }
  return meaning;
}

WordNetPart::Meaning WordNetPart::meaning(std::size_t offset) const {
  const std::string_view bytes = files_.data.bytes();
  if (offset < bytes.size()) {
    if (auto found = parsed(offset, bytes.substr(offset, bytes.find('\n', offset) - offset))) return *found;
  }
  throw input_error({.file = files_.data.name()}, fmt::format("no meaning at byte {}", offset),
                    "expected the data file that belongs to the index");
}

std::vector<WordNetPart::Meaning> WordNetPart::meanings() const {
  std::vector<Meaning> all;
  const char* begin = files_.data.bytes().data();
  for_each_line(files_.data, [&](std::string_view line, Index line_number) {
    auto found = parsed(static_cast<std::size_t>(line.data() - begin), line);
    if (!found) {
      throw input_error(files_.data.at_line(line_number), "not a line of WordNet's data",
                        fmt::format("expected OFFSET FILE {} COUNT WORD ID ... COUNT ... | GLOSS, with the place of "
                                    "the line in the file as OFFSET",
                                    letter_));
    }
    all.push_back(std::move(*found));
  });
  if (all.empty()) throw input_error({.file = files_.data.name()}, "no meanings", "expected data of WordNet");
  return all;
}

std::size_t WordNetPart::sense_number(std::string_view word, std::size_t offset) const {
  std::string_view offsets = offsets_of(as_lemma(word));
  std::size_t sense = 1;
  for (auto found = take_offset(offsets); found; found = take_offset(offsets), ++sense) {
    if (found == offset) return sense;
  }
  throw input_error({.file = files_.index.name()},
                    fmt::format("the word {} has no meaning at byte {}", quoted_name(word), offset),
                    fmt::format("expected the index that belongs to {}", files_.data.name()));
}

namespace {

constexpr std::size_t kLongest = 200;  // steps up; real chains have at most 20

}  // namespace

WordNetPart WordNetPart::open(const std::string& folder, const std::string& name, Context& ctx) {
  const auto opened = [&](const std::string& file) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      throw input_error({.file = folder}, fmt::format("no WordNet there ({} is missing)", file),
                        "expected the package wordnet-base, or the folder of a WordNet by `wordnet`");
    }
    return Input::open(path, ctx);
  };
  return WordNetPart({opened("index." + name), opened("data." + name), opened(name + ".exc")}, name[0]);
}

WordNet WordNet::open(const std::string& folder, Context& ctx) {
  WordNetPart nouns = WordNetPart::open(folder, "noun", ctx);
  return {std::move(nouns), WordNetPart::open(folder, "verb", ctx)};
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

std::optional<WordNet::Synset> WordNet::noun_sense(std::string_view word, std::size_t sense) const {
  const WordNetPart& nouns = part(Part::kNoun);
  const auto synset = [](std::size_t offset) { return Synset{Part::kNoun, offset}; };
  const std::string lemma = as_lemma(word);
  if (const auto offset = nouns.find(lemma, sense)) return synset(*offset);
  for (const auto& bases_of : {&WordNetPart::irregular_bases, &WordNetPart::regular_bases}) {
    for (const std::string& base : (nouns.*bases_of)(lemma)) {
      if (const auto offset = nouns.find(base, sense)) return synset(*offset);
    }
  }
  return std::nullopt;
}

std::vector<WordNet::Synset> WordNet::kinds(Synset synset) const {
  std::vector<Synset> chain{synset};
  for (auto kind = part(synset.part).meaning(synset.offset).first_kind(); kind;
       kind = part(synset.part).meaning(*kind).first_kind()) {
    const Synset next{synset.part, *kind};
    // A few verbs are kinds of each other.
    if (chain.size() == kLongest || std::ranges::find(chain, next) != chain.end()) break;
    chain.push_back(next);
  }
  return chain;
}

std::string WordNet::name(Synset synset) const {
  std::string word(part(synset.part).meaning(synset.offset).words[0]);
  std::ranges::replace(word, '_', ' ');
  return fmt::format("{} ({})", word, part(synset.part).letter());
}

}  // namespace clade

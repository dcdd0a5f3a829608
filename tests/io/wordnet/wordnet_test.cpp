#include "io/wordnet/wordnet.h"

#include <clade/error.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "temporary_folder.h"

namespace clade {
namespace {

// A meaning of a small WordNet written for the test: its words, and which meaning it is a kind of.
struct Entry {
  std::vector<std::string> words;
  int kind = -1;
  std::string symbol = "@";
};

// Writes index and data files with their licence lines and true byte offsets.
void write_part(const TemporaryFolder& folder, const std::string& name, const std::vector<Entry>& entries) {
  const char letter = name[0];
  const std::string licence = "  1 This is a small WordNet.  \n";
  const auto line = [&](std::size_t offset, const Entry& entry, const std::vector<std::size_t>& offsets) {
    std::string text = fmt::format("{:08} 03 {} {:02x}", offset, letter, entry.words.size());
    for (const std::string& word : entry.words) text += " " + word + " 0";
    if (entry.kind < 0) return text + " 001 + 00000000 a 0000 | no kind of anything  \n";
    return text + fmt::format(" 002 + 00000000 a 0101 {} {:08} {} 0000 | a gloss; @ 12  \n", entry.symbol,
                              offsets[static_cast<std::size_t>(entry.kind)], letter);
  };
  std::vector<std::size_t> offsets(entries.size(), 0);
  std::string data;
  for (int pass = 0; pass < 2; ++pass) {  // lines have the same length whatever the offsets
    data = licence;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      offsets[k] = data.size();
      data += line(offsets[k], entries[k], offsets);
    }
  }
  std::map<std::string, std::vector<std::size_t>> senses;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    for (std::string word : entries[k].words) {
      std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      senses[word].push_back(offsets[k]);
    }
  }
  std::string index = licence;
  for (const auto& [word, places] : senses) {
    index += fmt::format("{} {} {} 2 @ ~ {} 0", word, letter, places.size(), places.size());
    for (const std::size_t place : places) index += fmt::format(" {:08}", place);
    index += "  \n";
  }
  folder.write("data." + name, data);
  folder.write("index." + name, index);
}

class SmallWordNet : public ::testing::Test {
 protected:
  SmallWordNet() {
    write_part(folder, "noun",
               {{{"entity"}},
                {{"animal", "beast"}, 0},
                {{"carnivore"}, 1},
                {{"dog", "domestic_dog"}, 2},
                {{"cat"}, 2},
                {{"box"}, 0},
                {{"church"}, 0},
                {{"pony"}, 1},
                {{"goose"}, 1},
                {{"boxful"}, 0},
                {{"glass"}, 0},
                {{"glas"}, 0},
                {{"Rex"}, 3, "@i"},
                {{"dog"}, 0},  // a second meaning
                {{"ha"}, 0}});
    write_part(folder, "verb", {{{"move"}}, {{"run"}, 0}, {{"hop"}, 3}, {{"hope"}, 2}, {{"dog"}, 0}, {{"have"}}});
    folder.write("noun.exc", "geese goose\n");
    folder.write("verb.exc", "has have\nran walk run\n");
  }

  std::vector<std::string> kinds(std::string_view word) {
    const WordNet wordnet = WordNet::open(folder.path(), ctx);
    const auto sense = wordnet.first_sense(word);
    std::vector<std::string> names;
    if (!sense) return names;
    for (const WordNet::Synset synset : wordnet.kinds(*sense)) names.push_back(wordnet.name(synset));
    return names;
  }

  std::string message() {
    try {
      const WordNet wordnet = WordNet::open(folder.path(), ctx);
      for (const char* word : {"dog", "run"}) wordnet.kinds(*wordnet.first_sense(word));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      return error.what();
    }
    return "";
  }

  using Names = std::vector<std::string>;
  TemporaryFolder folder;
  Context ctx;
};

TEST_F(SmallWordNet, MeaningsOfNounsByNumber) {
  const WordNet wordnet = WordNet::open(folder.path(), ctx);
  const auto depth = [&](std::string_view word, std::size_t sense) {
    const auto synset = wordnet.noun_sense(word, sense);
    return synset ? wordnet.kinds(*synset).size() : 0;
  };
  EXPECT_EQ(depth("dog", 1), 4);
  EXPECT_EQ(depth("Dogs", 2), 2);
  EXPECT_EQ(depth("dog", 3), 0);
  EXPECT_EQ(depth("dog", 0), 0);
  EXPECT_EQ(depth("geese", 1), 3);
  EXPECT_EQ(depth("run", 1), 0);  // a verb only
}

TEST_F(SmallWordNet, ChainsOfKinds) {
  EXPECT_EQ(kinds("dog"), (Names{"dog (n)", "carnivore (n)", "animal (n)", "entity (n)"}));
  EXPECT_EQ(kinds("beast"), (Names{"animal (n)", "entity (n)"}));
  EXPECT_EQ(kinds("Domestic Dog"), kinds("dog"));
  EXPECT_EQ(kinds("rex"), (Names{"Rex (n)", "dog (n)", "carnivore (n)", "animal (n)", "entity (n)"}));
  EXPECT_EQ(kinds("entity"), Names{"entity (n)"});
  EXPECT_EQ(kinds("run"), (Names{"run (v)", "move (v)"}));
  for (const char* word : {"wolf", "", " ", "do", "\xC3\xA9t\xC3\xA9"}) EXPECT_EQ(kinds(word), Names());
}

TEST_F(SmallWordNet, Morphology) {
  const auto base = [&](std::string_view word) {
    const Names names = kinds(word);
    return names.empty() ? "" : names.front();
  };
  EXPECT_EQ(base("dogs"), "dog (n)");
  EXPECT_EQ(base("boxes"), "box (n)");
  EXPECT_EQ(base("churches"), "church (n)");
  EXPECT_EQ(base("ponies"), "pony (n)");
  EXPECT_EQ(base("geese"), "goose (n)");  // irregular
  EXPECT_EQ(base("boxesful"), "boxful (n)");
  EXPECT_EQ(base("glass"), "glass (n)");  // as it stands
  EXPECT_EQ(base("hass"), "");            // not "has" or "ha": what ends in ss is no plural
  EXPECT_EQ(base("has"), "have (v)");     // irregular before the plural of "ha"
  EXPECT_EQ(base("ran"), "run (v)");      // the first base that there is
  EXPECT_EQ(base("moves"), "move (v)");
  EXPECT_EQ(base("moved"), "move (v)");
  EXPECT_EQ(base("moving"), "move (v)");
  EXPECT_EQ(base("hoping"), "hope (v)");  // "hope" before "hop"
}

TEST_F(SmallWordNet, MeaningsThatAreKindsOfEachOtherEnd) {
  EXPECT_EQ(kinds("hop"), (Names{"hop (v)", "hope (v)"}));
  EXPECT_EQ(kinds("hope"), (Names{"hope (v)", "hop (v)"}));
}

TEST_F(SmallWordNet, SaysWhatIsWrong) {
  EXPECT_EQ(message(), "");
  folder.write("index.verb", "run v one\n");
  EXPECT_EQ(message(),
            folder.file("index.verb") + ":1: not a line of a WordNet index; expected WORD v COUNT COUNT ... OFFSET");
  folder.write("index.verb", "");
  EXPECT_EQ(message(), folder.file("index.verb") + ": no words; expected an index of WordNet");
  folder.write("index.verb", "run v 1 0 1 0 99999999\n");
  EXPECT_EQ(message(), folder.file("data.verb") +
                           ": no meaning at byte 99999999; expected the data file that belongs to the index");
  folder.write("index.verb", "run v 1 0 1 0 00000005\n");
  EXPECT_EQ(message(),
            folder.file("data.verb") + ": no meaning at byte 5; expected the data file that belongs to the index");
  folder.write("verb.exc", "ran run\nwent\n");
  EXPECT_EQ(message(), folder.file("verb.exc") + ":2: a form without a base; expected FORM BASE");
  std::filesystem::remove(folder.file("data.noun"));
  EXPECT_EQ(message(), folder.path() +
                           ": no WordNet there (data.noun is missing); expected the package wordnet-base, or "
                           "the folder of a WordNet by `wordnet`");
}

TEST(WordNet, TheRealOne) {
  const std::string folder(WordNet::kFolder);
  if (!std::filesystem::exists(folder + "/data.noun")) GTEST_SKIP() << "no WordNet in " << folder;
  Context ctx;
  const WordNet wordnet = WordNet::open(folder, ctx);
  const auto names = [&](std::string_view word) {
    std::vector<std::string> found;
    for (const WordNet::Synset synset : wordnet.kinds(wordnet.first_sense(word).value())) {
      found.push_back(wordnet.name(synset));
    }
    return found;
  };
  for (const char* word : {"dog", "cat", "wolves", "Lionesses"}) {
    const auto found = names(word);
    EXPECT_NE(std::ranges::find(found, "carnivore (n)"), found.end()) << word;
    EXPECT_EQ(found.back(), "entity (n)");
  }
  EXPECT_EQ(names("was").front(), "be (v)");
  EXPECT_EQ(names("children").front(), "child (n)");
  EXPECT_FALSE(wordnet.first_sense("xyzzyx").has_value());
}

}  // namespace
}  // namespace clade

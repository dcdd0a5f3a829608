// A hierarchy of classes from WordNet, by their names: each class is looked up as a noun, and classes stand together
// below what they are both kinds of.

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "core/text.h"
#include "induce/class_groups.h"
#include "induce/taxonomy_learner.h"
#include "io/wordnet/wordnet.h"

namespace clade {
namespace {

struct ClassWordNetOptions {
  std::string folder{WordNet::kFolder};
  int levels = 0;
};

template <class V>
void describe(V& v, ClassWordNetOptions& o) {
  v("wordnet", o.folder, "folder with WordNet's files");
  v("levels", o.levels, between(0, 1000), "levels below the root; deeper groups are left out; 0: all");
}

bool is_joint(char c) {
  return std::string_view("_ -./").find(c) != std::string_view::npos;
}

Index letters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

// A name such as bank#2: the word, and which of its meanings, from 1.
struct NamedSense {
  std::string_view word;
  std::size_t sense = 1;
};

NamedSense split_sense(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) return {name};
  std::size_t sense = 0;
  const auto [end, error] = std::from_chars(name.data() + mark + 1, name.data() + name.size(), sense);
  if (error != std::errc{} || end != name.data() + name.size() || sense == 0) return {name};
  return {name.substr(0, mark), sense};
}

struct FoundClass {
  WordNet::Synset synset;
  std::string by;  // the words that were found, if they are not the whole name
};

// The whole name, else as many of its last words as WordNet has: of "big sports cars" the "sports cars".
std::optional<FoundClass> find_class(const WordNet& wordnet, std::string_view name) {
  const auto [word, sense] = split_sense(name);
  if (letters(word) == 0) return std::nullopt;
  if (const auto synset = wordnet.noun_sense(word, sense)) return FoundClass{*synset, {}};
  std::string joined(word);
  std::ranges::replace_if(joined, is_joint, '_');
  constexpr Index kFewestLetters = 2;  // single letters are nouns, too, but seldom what a name is about
  std::string_view rest = joined;
  while (letters(rest) >= kFewestLetters) {
    if (const auto synset = wordnet.noun_sense(rest, sense)) return FoundClass{*synset, std::string(rest)};
    rest.remove_prefix(std::min(rest.find('_'), rest.size() - 1) + 1);
  }
  return std::nullopt;
}

// The meanings that classes are kinds of, as a tree.
class SynsetTree {
 public:
  explicit SynsetTree(const WordNet& wordnet) : wordnet_(wordnet), nodes_(1) {}

  void add(std::size_t class_number, WordNet::Synset synset) {
    const std::vector<WordNet::Synset> kinds = wordnet_.kinds(synset);
    std::size_t node = 0;
    nodes_[0].below.push_back(class_number);
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
      node = child_of(node, *kind);
      nodes_[node].below.push_back(class_number);
    }
    nodes_[node].own = true;
  }

  // Groups of the classes that stand together, at most `levels` - 1 below each other; 0: all. A meaning whose classes
  // are all kinds of a narrower one gives no group.
  void add_groups(ClassGroups& groups, int levels) const {
    for (const std::size_t child : nodes_[narrowest(0)].children) add_group(child, 0, 1, levels, groups);
  }

 private:
  struct Node {
    std::optional<WordNet::Synset> synset;
    std::vector<std::size_t> children;
    std::vector<std::size_t> below;  // the classes, ascending
    bool own = false;                // some class has just this meaning
  };

  std::size_t child_of(std::size_t parent, WordNet::Synset synset) {
    const auto [entry, is_new] = numbers_.try_emplace(synset, nodes_.size());
    if (is_new) {
      nodes_[parent].children.push_back(nodes_.size());
      nodes_.push_back({.synset = synset, .children = {}, .below = {}, .own = false});
    }
    return entry->second;
  }

  std::size_t narrowest(std::size_t node) const {
    while (nodes_[node].children.size() == 1 && !nodes_[node].own) node = nodes_[node].children.front();
    return node;
  }

  void add_group(std::size_t node, std::size_t parent, int depth, int levels, ClassGroups& groups) const {
    node = narrowest(node);
    if (nodes_[node].below.size() < 2 || (levels > 0 && depth >= levels)) return;
    const std::size_t group = groups.add(nodes_[node].below, parent, wordnet_.name(*nodes_[node].synset));
    for (const std::size_t child : nodes_[node].children) add_group(child, group, depth + 1, levels, groups);
  }

  const WordNet& wordnet_;
  std::vector<Node> nodes_;
  std::map<WordNet::Synset, std::size_t> numbers_;
};

class ClassWordNet : public TaxonomyLearner {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  bool needs_samples() const override { return false; }

  LearnedTaxonomy learn(const LearnInput& input, Context& ctx) override {
    std::vector<NodeId> classes = input.classes.classes;
    classes.insert(classes.end(), input.classes.without_samples.begin(), input.classes.without_samples.end());
    std::ranges::sort(classes);
    const std::vector<std::string> names = names_of(input.data, classes);
    const WordNet wordnet = WordNet::open(options_.folder, ctx);
    SynsetTree synsets(wordnet);
    std::vector<std::string> by_part;
    std::vector<std::string> unknown;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto found = find_class(wordnet, names[k]);
      if (!found) {
        unknown.push_back(names[k]);
        continue;
      }
      synsets.add(k, found->synset);
      if (!found->by.empty()) by_part.push_back(fmt::format("{} ({})", names[k], found->by));
    }
    require_two(names.size(), unknown);
    ClassGroups groups(names);
    synsets.add_groups(groups, options_.levels);
    ClusterTree tree = groups.tree();
    return {.taxonomy = std::move(tree.taxonomy),
            .clusters = std::move(tree.clusters),
            .dendrogram = {},
            .method = {},
            .parameters = {},
            .notes = notes_on_names(by_part, unknown),
            .memory = 0,
            .seconds = 0};
  }

 private:
  static void require_two(std::size_t classes, const std::vector<std::string>& unknown) {
    if (classes - unknown.size() >= 2) return;
    constexpr std::size_t kShown = 5;
    throw usage_error(fmt::format("WordNet has {} of the {} class names{}", classes - unknown.size(), classes,
                                  unknown.empty() ? "" : " (not " + short_list(unknown, kShown) + ")"),
                      "expected at least two names that are English nouns");
  }

  static std::vector<std::string> notes_on_names(const std::vector<std::string>& by_part,
                                                 const std::vector<std::string>& unknown) {
    constexpr std::size_t kShown = 20;
    std::vector<std::string> notes;
    if (!by_part.empty()) notes.push_back("found by their last words: " + short_list(by_part, kShown));
    for (std::size_t k = 0; k < std::min(kShown, unknown.size()); ++k) {
      notes.push_back(fmt::format("class '{}' is not in WordNet, put below the root", unknown[k]));
    }
    if (unknown.size() > kShown) {
      notes.push_back(fmt::format("{} more classes are not in WordNet, put below the root", unknown.size() - kShown));
    }
    return notes;
  }

  ClassWordNetOptions options_;
};

}  // namespace

std::unique_ptr<TaxonomyLearner> make_class_wordnet() {
  return std::make_unique<ClassWordNet>();
}

}  // namespace clade

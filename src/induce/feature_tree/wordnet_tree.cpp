#include <clade/error.h>
#include <fmt/format.h>

#include <map>

#include "induce/feature_tree/feature_tree_maker.h"
#include "induce/feature_tree/tidy_groups.h"
#include "io/wordnet/wordnet.h"

namespace clade {
namespace {

struct WordNetOptions {
  std::string folder{WordNet::kFolder};
  int depth = 8;
  Index smallest = 2;
};

template <class V>
void describe(V& v, WordNetOptions& o) {
  v("wordnet", o.folder, "folder with WordNet's files");
  v("depth", o.depth, between(0, 1000), "levels of groups below the root; 0: all");
  v("smallest", o.smallest, at_least(1), "fewest features of a group; smaller groups are merged into the one above");
}

// One group per synset that some word is a kind of; each word stands in the group of its own meaning.
class SynsetGroups {
 public:
  explicit SynsetGroups(const WordNet& wordnet) : wordnet_(wordnet), groups_{{.name = "root"}} {}

  // False if WordNet does not have the word, which then belongs to the root.
  bool add(FeatureIndex feature, std::string_view word) {
    const auto sense = wordnet_.first_sense(word);
    NodeId group = 0;
    if (sense) {
      const std::vector<WordNet::Synset> kinds = wordnet_.kinds(*sense);
      for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) group = group_of(*kind, group);
    }
    groups_[static_cast<std::size_t>(group)].features.push_back(feature);
    return sense.has_value();
  }

  std::vector<FeatureGroup> take() { return std::move(groups_); }

 private:
  NodeId group_of(WordNet::Synset synset, NodeId parent) {
    const auto [entry, is_new] = numbers_.try_emplace(synset, static_cast<NodeId>(groups_.size()));
    if (is_new) groups_.push_back({.name = wordnet_.name(synset), .parent = parent});
    return entry->second;
  }

  const WordNet& wordnet_;
  std::vector<FeatureGroup> groups_;
  std::map<WordNet::Synset, NodeId> numbers_;
};

class WordNetTree : public FeatureTreeMaker {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  FeatureHierarchy make(const FeatureTreeInput& input, Context& ctx) override {
    const Dataset& data = input.data;
    if (!data.has_feature_names()) {
      throw usage_error("the features have no names", "expected words to look up in WordNet");
    }
    const WordNet wordnet = WordNet::open(options_.folder, ctx);
    SynsetGroups groups(wordnet);
    std::vector<std::string> unknown;
    for (FeatureIndex f = 0; f < data.features(); ++f) {
      if (!groups.add(f, data.feature_name(f))) unknown.push_back(data.feature_name(f));
    }
    if (std::ssize(unknown) == data.features()) {
      throw usage_error(fmt::format("none of the {} features is a word of WordNet (the first: '{}')", unknown.size(),
                                    unknown.front()),
                        "expected features that are English words");
    }
    FeatureHierarchy hierarchy{
        .tree = FeatureTree::build(data.features(), tidy_groups(groups.take(), options_.smallest, options_.depth))};
    if (!unknown.empty()) hierarchy.notes.push_back(note_on(unknown, data.features()));
    return hierarchy;
  }

 private:
  static std::string note_on(const std::vector<std::string>& unknown, Index features) {
    constexpr std::size_t kShown = 5;
    std::string names;
    for (std::size_t k = 0; k < std::min(kShown, unknown.size()); ++k) names += (k > 0 ? ", " : "") + unknown[k];
    if (unknown.size() > kShown) names += ", ...";
    return fmt::format("{} of {} words without an entry in WordNet, directly below the root: {}", unknown.size(),
                       features, names);
  }

  WordNetOptions options_;
};

}  // namespace

std::unique_ptr<FeatureTreeMaker> make_wordnet_tree() {
  return std::make_unique<WordNetTree>();
}

}  // namespace clade

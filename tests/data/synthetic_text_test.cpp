#include <clade/synthetic.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "data/text/stop_words.h"
#include "data/text/tokenizer.h"

namespace clade {
namespace {

SyntheticText generated(const SyntheticTextOptions& options, std::uint64_t seed = 1, int threads = 2) {
  Context ctx(Context::Options{.threads = threads, .seed = seed});
  return synthetic_text(options, ctx);
}

std::vector<std::vector<FeatureIndex>> documents_of(const SyntheticText& text) {
  std::vector<std::vector<FeatureIndex>> documents;
  for (Index d = 0; d < text.documents(); ++d) {
    documents.emplace_back(text.words_of(d).begin(), text.words_of(d).end());
  }
  return documents;
}

std::vector<std::vector<std::string>> labels_of(const SyntheticText& text) {
  std::vector<std::vector<std::string>> labels(static_cast<std::size_t>(text.documents()));
  for (Index d = 0; d < text.documents(); ++d) {
    for (const NodeId node : text.labels.of(d)) labels[static_cast<std::size_t>(d)].push_back(text.taxonomy.name(node));
  }
  return labels;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Are counts of independent draws what the weights say, within five standard deviations each?
void expect_drawn_by(const std::vector<double>& weights, const std::vector<double>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double expected = total * weights[k] / all;
    EXPECT_NEAR(counts[k], expected, 5 * std::sqrt(expected) + 1) << k;
  }
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// How often each word occurs in the documents of each class, scaled to length 1: their products are cosines.
std::map<NodeId, std::vector<double>> words_of_classes(const SyntheticText& text) {
  std::map<NodeId, std::vector<double>> found;
  const auto words = static_cast<std::size_t>(std::ranges::max(text.words)) + 1;
  for (Index d = 0; d < text.documents(); ++d) {
    std::vector<double>& own = found[text.labels.of(d)[0]];
    own.resize(words);
    for (const FeatureIndex word : text.words_of(d)) own[static_cast<std::size_t>(word)] += 1;
  }
  for (auto& [node, own] : found) {
    const double length = std::sqrt(product(own, own));
    for (double& value : own) value /= length;
  }
  return found;
}

TEST(SyntheticText, HasTheLevelsAskedFor) {
  const SyntheticText text = generated({.documents = 10, .levels = {4, 9, 9, 40}});
  const Taxonomy& taxonomy = text.taxonomy;
  ASSERT_TRUE(taxonomy.is_tree());
  EXPECT_TRUE(taxonomy.has_virtual_root());
  std::vector<Index> at_depth(5, 0);
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    ++at_depth[static_cast<std::size_t>(taxonomy.depth(node))];
    EXPECT_EQ(taxonomy.is_leaf(node), taxonomy.depth(node) == 4);
  }
  EXPECT_EQ(at_depth, (std::vector<Index>{1, 4, 9, 9, 40}));
  // A name is the way to the node.
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    const NodeId parent = taxonomy.parents(node)[0];
    if (parent != 0) {
      EXPECT_TRUE(taxonomy.name(node).starts_with(taxonomy.name(parent) + "/"));
    }
  }
  std::set<std::size_t> sizes;
  const Taxonomy larger = generated({.documents = 1}).taxonomy;
  for (const NodeId node : larger.internal_nodes()) sizes.insert(larger.children(node).size());
  EXPECT_GE(*sizes.begin(), 2U);
  EXPECT_GT(sizes.size(), 3U) << "uneven";
}

TEST(SyntheticText, DoesNotDependOnThreadsAndADocumentNotOnTheOthers) {
  const SyntheticTextOptions options{
      .documents = 3000, .levels = {3, 8, 30}, .words = 2000, .labels = 3, .inner = 0.2, .dag = 0.3};
  const SyntheticText one = generated(options, 7, 1);
  for (const int threads : {2, 3}) {
    const SyntheticText other = generated(options, 7, threads);
    EXPECT_EQ(one.words, other.words);
    EXPECT_EQ(one.offsets, other.offsets);
    EXPECT_EQ(one.labels.nodes, other.labels.nodes);
    EXPECT_EQ(one.labels.offsets, other.labels.offsets);
    EXPECT_EQ(one.taxonomy, other.taxonomy);
  }
  EXPECT_NE(one.words, generated(options, 8, 1).words);

  SyntheticTextOptions part = options;
  part.first = 1500;
  part.documents = 100;
  const SyntheticText middle = generated(part, 7);
  EXPECT_EQ(middle.taxonomy, one.taxonomy);
  const auto documents = documents_of(one);
  const auto labels = labels_of(one);
  EXPECT_EQ(documents_of(middle), decltype(documents)(documents.begin() + 1500, documents.begin() + 1600));
  EXPECT_EQ(labels_of(middle), decltype(labels)(labels.begin() + 1500, labels.begin() + 1600));
}

TEST(SyntheticText, WrongAndInnerLabelsChangeNoWord) {
  const SyntheticTextOptions clean{.documents = 4000, .levels = {3, 8, 30}, .words = 2000, .noise = 0};
  SyntheticTextOptions changed = clean;
  changed.noise = 0.1;
  changed.inner = 0.3;
  const SyntheticText a = generated(clean);
  const SyntheticText b = generated(changed);
  EXPECT_EQ(a.words, b.words);
  double wrong = 0;
  std::vector<double> at_level(4, 0);
  for (Index d = 0; d < a.documents(); ++d) {
    const NodeId truth = a.labels.of(d)[0];
    const NodeId stated = b.labels.of(d)[0];
    ASSERT_TRUE(a.taxonomy.is_leaf(truth));
    const bool agrees = stated == truth || a.taxonomy.is_ancestor(stated, truth);
    wrong += agrees ? 0 : 1;
    at_level[static_cast<std::size_t>(a.taxonomy.depth(stated))] += 1;
  }
  EXPECT_NEAR(wrong / 4000, 0.1 * 29 / 30, 5 * std::sqrt(0.1 * 0.9 / 4000));
  expect_drawn_by({0.9 * 0.3 * 0.3, 0.9 * 0.3 * 0.7, 1 - 0.9 * 0.3}, {at_level[1], at_level[2], at_level[3]});
}

TEST(SyntheticText, ClassSizesAreLongTailed) {
  const SyntheticText text = generated({.documents = 60'000, .levels = {5, 40}, .words = 100, .length = 8, .noise = 0});
  std::map<NodeId, double> count;
  for (const NodeId node : text.labels.nodes) count[node] += 1;
  std::vector<double> sizes;
  for (const auto& [node, size] : count) sizes.push_back(size);
  std::ranges::sort(sizes, std::greater<>());
  ASSERT_EQ(sizes.size(), 40U);
  std::vector<double> weights;
  for (int k = 0; k < 40; ++k) weights.push_back(std::pow(k + 12, -0.75));
  expect_drawn_by(weights, sizes);
}

TEST(SyntheticText, LengthsAndBackgroundAreAsDocumented) {
  const SyntheticText text = generated({.documents = 20'000, .levels = {2, 4}, .words = 500, .length = 40, .topic = 0});
  std::vector<double> logarithms;
  std::vector<double> lengths;
  for (Index d = 0; d < text.documents(); ++d) {
    lengths.push_back(static_cast<double>(text.words_of(d).size()));
    EXPECT_GE(lengths.back(), 8);
    logarithms.push_back(std::log(lengths.back()));
  }
  EXPECT_NEAR(mean(lengths), 40, 0.7);
  const double centre = mean(logarithms);
  for (double& value : logarithms) value = (value - centre) * (value - centre);
  EXPECT_NEAR(std::sqrt(mean(logarithms)), 0.45, 0.02);

  std::vector<double> weights;
  for (int k = 0; k < 500; ++k) weights.push_back(std::pow(k + 8, -1.05));
  std::vector<double> counts(500, 0);
  for (const FeatureIndex word : text.words) counts[static_cast<std::size_t>(word)] += 1;
  expect_drawn_by(weights, counts);
}

// A word of a document is topical with probability topic * 0.6 on average, and topics leave out the first words.
TEST(SyntheticText, TheShareOfTopicsIsAsDocumented) {
  const SyntheticTextOptions options{.documents = 4000, .levels = {2, 6}, .words = 4000, .topic = 0.5};
  const auto common_share = [](const SyntheticText& text) {
    const auto common = std::ranges::count_if(text.words, [](FeatureIndex word) { return word < 300; });
    return static_cast<double>(common) / static_cast<double>(text.words.size());
  };
  SyntheticTextOptions plain = options;
  plain.topic = 0;
  EXPECT_NEAR(common_share(generated(options)) / common_share(generated(plain)), 1 - 0.5 * 0.6, 0.02);
}

TEST(SyntheticText, ClassesShareTheWordsOfTheNodesAbove) {
  const SyntheticText text = generated({.documents = 20'000, .levels = {4, 16, 64}, .topic = 1, .noise = 0});
  const auto words = words_of_classes(text);
  std::vector<std::vector<double>> alike(3);  // by the depth of the lowest common ancestor
  for (const auto& [a, words_a] : words) {
    for (const auto& [b, words_b] : words) {
      if (a >= b) continue;
      const NodeId common = text.taxonomy.lowest_common_ancestor(a, b);
      alike[static_cast<std::size_t>(text.taxonomy.depth(common))].push_back(product(words_a, words_b));
    }
  }
  EXPECT_GT(mean(alike[2]), 1.3 * mean(alike[1]));
  EXPECT_GT(mean(alike[1]), 1.3 * mean(alike[0]));
}

TEST(SyntheticText, ADagHasSecondParentsWhoseWordsOccur) {
  const SyntheticText text =
      generated({.documents = 20'000, .levels = {10, 40, 160}, .topic = 1, .noise = 0, .dag = 0.25});
  const Taxonomy& taxonomy = text.taxonomy;
  EXPECT_FALSE(taxonomy.is_tree());
  double with_two = 0;
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    const auto parents = taxonomy.parents(node);
    ASSERT_LE(parents.size(), 2U);
    with_two += parents.size() == 2 ? 1 : 0;
    EXPECT_EQ(taxonomy.depth(node), taxonomy.shortest_depth(node)) << "all ways are as long";
    if (parents.size() == 2) {
      EXPECT_GT(taxonomy.depth(node), 1);
    }
  }
  EXPECT_NEAR(with_two / 200, 0.25, 5 * std::sqrt(0.25 * 0.75 / 200));

  // A class with two parents is like the children of both.
  const auto words = words_of_classes(text);
  std::vector<double> children_of_second;
  std::vector<double> others;
  for (const auto& [a, words_a] : words) {
    const auto parents = taxonomy.parents(a);
    if (parents.size() != 2) continue;
    const bool named_by_first = taxonomy.name(a).starts_with(taxonomy.name(parents[0]) + "/");
    const NodeId second = parents[named_by_first ? 1 : 0];
    for (const auto& [b, words_b] : words) {
      if (a == b || taxonomy.parents(b).size() != 1 || taxonomy.name(b)[0] == taxonomy.name(a)[0]) continue;
      (taxonomy.parents(b)[0] == second ? children_of_second : others).push_back(product(words_a, words_b));
    }
  }
  EXPECT_GT(mean(children_of_second), 1.3 * mean(others));
}

TEST(SyntheticText, DocumentsHaveUpToSoManyLabels) {
  const SyntheticText text =
      generated({.documents = 20'000, .levels = {10, 80, 800}, .words = 1000, .length = 8, .labels = 4, .noise = 0});
  std::vector<double> count(5, 0);
  double near = 0;
  double pairs = 0;
  for (Index d = 0; d < text.documents(); ++d) {
    const auto labels = text.labels.of(d);
    ASSERT_GE(labels.size(), 1U);
    ASSERT_LE(labels.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(labels, std::less_equal<>()));
    for (const NodeId node : labels) EXPECT_TRUE(text.taxonomy.is_leaf(node));
    count[labels.size()] += 1;
    if (labels.size() != 2) continue;
    pairs += 1;
    near += text.taxonomy.parents(labels[0])[0] == text.taxonomy.parents(labels[1])[0] ? 1 : 0;
  }
  // P(1 label) = P(u^1.7 < 1/4), and a little more, as a class counts once.
  EXPECT_NEAR(count[1] / 20'000, std::pow(0.25, 1 / 1.7), 0.04);
  EXPECT_GT(count[4], 1000);
  EXPECT_NEAR(near / pairs, 0.5, 0.06);
}

TEST(SyntheticText, WordsAreWhatTheTokenizerFinds) {
  const SyntheticText text = generated({.documents = 1, .words = 300'000});
  const std::set<std::string> distinct(text.vocabulary.begin(), text.vocabulary.end());
  EXPECT_EQ(distinct.size(), text.vocabulary.size());
  Tokenizer tokenizer(false);
  for (const std::string& word : text.vocabulary) {
    ASSERT_EQ(tokenizer.form(word), word);
    ASSERT_FALSE(is_english_stop_word(word)) << word;
  }
}

TEST(SyntheticText, CountsAreThoseOfTheWords) {
  const SyntheticText text = generated({.documents = 2000, .levels = {2, 6}, .words = 300, .labels = 2});
  Context ctx;
  const Dataset counts = word_counts(text, ctx);
  ASSERT_EQ(counts.samples(), text.documents());
  ASSERT_EQ(counts.features(), 300);
  EXPECT_EQ(counts.feature_name(17), text.vocabulary[17]);
  EXPECT_EQ(counts.taxonomy(), text.taxonomy);
  for (Index d = 0; d < text.documents(); ++d) {
    std::map<FeatureIndex, double> expected;
    for (const FeatureIndex word : text.words_of(d)) expected[word] += 1;
    std::map<FeatureIndex, double> found;
    counts.for_each_value(d, [&](FeatureIndex word, double value) { found[word] = value; });
    ASSERT_EQ(found, expected);
    EXPECT_TRUE(std::ranges::equal(counts.labels(d), text.labels.of(d)));
  }
}

TEST(SyntheticText, ImpossibleShapesAreRefused) {
  EXPECT_THROW(generated({.levels = {}}), Error);
  EXPECT_THROW(generated({.levels = {10, 5}}), Error);
  EXPECT_THROW(generated({.levels = {1}}), Error);
  EXPECT_THROW(generated({.levels = {0, 5}}), Error);
  EXPECT_THROW(generated({.levels = {100'000'000}}), Error);
  EXPECT_THROW(generated({.documents = 1'000'000'000'000}), Error);
  // The smallest there is: one word, two classes, one of them below each other node.
  const SyntheticText least = generated({.documents = 5, .levels = {1, 1, 2}, .words = 1, .dag = 1});
  EXPECT_EQ(least.taxonomy.size(), 5);
  SyntheticTextOptions options;
  ParameterTable table(options);
  table.set("levels", "2,3,7");
  EXPECT_EQ(options.levels, (std::vector<Index>{2, 3, 7}));
  for (const char* wrong : {"", "a", "2,", ",2", "2;3", "0", "-1", "2,3x"})
    EXPECT_THROW(table.set("levels", wrong), Error);
}

}  // namespace
}  // namespace clade

#include "classify/label_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "classify/explain.h"
#include "classify/local/label_groups.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "classify/trained_models.h"
#include "model/array_file.h"
#include "model/model_file.h"

namespace clade {
namespace {

using testing::trained;

struct ManyClasses {
  Index classes = 60;
  Index topics = 12;  // classes of a topic share words
  Index samples = 360;
  bool sparse = true;
  bool several_labels = false;
  unsigned seed = 1;
};

// A flat hierarchy; class c has two words of its own and its topic another two.
Dataset many_classes(const ManyClasses& wanted) {
  std::mt19937 random(wanted.seed);
  const auto draw = [&](Index bound) { return static_cast<Index>(random() % static_cast<unsigned>(bound)); };
  const Index features = 2 * wanted.classes + 2 * wanted.topics + 10;
  std::vector<std::string> names;
  for (Index c = 0; c < wanted.classes; ++c) names.push_back("class " + std::to_string(c));
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> columns;
  std::vector<double> values;
  std::vector<double> full;
  std::vector<std::vector<std::string>> labels;
  for (Index s = 0; s < wanted.samples; ++s) {
    std::set<Index> own{s % wanted.classes};
    if (wanted.several_labels && s % 2 == 0) own.insert(draw(wanted.classes));
    std::map<FeatureIndex, double> row;
    for (const Index c : own) {
      row[static_cast<FeatureIndex>(2 * c + draw(2))] = 1 + static_cast<double>(draw(3));
      row[static_cast<FeatureIndex>(2 * wanted.classes + 2 * (c % wanted.topics) + draw(2))] = 2;
    }
    for (int k = 0; k < 3; ++k) row[static_cast<FeatureIndex>(draw(features))] += 0.5;
    labels.emplace_back();
    for (const Index c : own) labels.back().push_back(names[static_cast<std::size_t>(c)]);
    full.resize(full.size() + static_cast<std::size_t>(features), 0);
    for (const auto& [f, x] : row) {
      columns.push_back(f);
      values.push_back(x);
      full[static_cast<std::size_t>(s * features + f)] = x;
    }
    offsets.push_back(std::ssize(columns));
  }
  const Taxonomy taxonomy = flat_taxonomy(names);
  return wanted.sparse ? sparse_dataset(offsets, columns, values, features, labels, taxonomy)
                       : dense_dataset(full, features, labels, taxonomy);
}

Parameters small_trees(Parameters others = {}) {
  others.emplace("label-tree", "10");
  others.emplace("label-group", "4");
  others.emplace("label-branches", "3");
  others.emplace("label-beam", "2");
  return others;
}

constexpr Index kAll = 1'000'000;

struct Way {
  double score = 0;
  double log_probability = 0;
};

// What every child gets, worked out group by group without a search.
std::map<std::int32_t, Way> all_ways(const ModelBody& model, const NodeClassifier& node, const Dataset& data,
                                     Index sample) {
  const LabelTree& tree = *node.tree;
  const std::map<FeatureIndex, double> values = values_of(data, sample);
  double square = 0;
  for (const auto& [f, x] : values) square += x * x;
  const double length = model.has_unit_rows && square > 0 ? std::sqrt(square) : 1;
  const bool are_apart = model.is_multilabel && !model.has_probabilities;
  std::map<std::int32_t, Way> ways;
  std::map<Index, Way> reached{{0, {std::numeric_limits<double>::infinity(), 0}}};
  for (Index g = 0; g < tree.groups(); ++g) {
    const GroupWeights group = unpacked_group(tree.packed[static_cast<std::size_t>(g)], tree.outputs_of(g));
    std::vector<double> outputs(group.bias.begin(), group.bias.end());
    for (std::size_t k = 0; k < group.features.size(); ++k) {
      const auto found = values.find(group.features[k]);
      if (found == values.end()) continue;
      for (std::size_t e = group.offsets[k]; e < group.offsets[k + 1]; ++e) {
        const double weight = std::visit([&](auto w) { return static_cast<double>(w[e]); }, group.weights);
        const std::size_t o = group.outputs[e];
        outputs[o] += double{group.scale[o]} * weight * found->second / length;
      }
    }
    double sum = 0;
    for (const double output : outputs) sum += std::exp(node.temperature * output);
    const Way from = reached.at(g);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const double p = are_apart ? 1 / (1 + std::exp(-node.temperature * outputs[o]))
                                 : std::exp(node.temperature * outputs[o]) / sum;
      Way way{.score = 0, .log_probability = from.log_probability + std::log(p)};
      way.score = are_apart ? std::min(from.score, outputs[o]) : way.log_probability / node.temperature;
      const Index output = static_cast<Index>(tree.offsets[static_cast<std::size_t>(g)]) + static_cast<Index>(o);
      if (output < tree.groups() - 1) {
        reached[output + 1] = way;
      } else {
        ways[tree.order[static_cast<std::size_t>(output - (tree.groups() - 1))]] = way;
      }
    }
  }
  return ways;
}

// Models with label trees of every kind: visit(model, data, name).
template <class Visit>
void for_each_tree_model(const Visit& visit) {
  for (unsigned k = 0; k < 4; ++k) {
    const Dataset data = many_classes({.sparse = k % 2 == 0, .several_labels = k / 2 == 1, .seed = k + 1});
    for (const std::string method : {"top-down-svm", "top-down-logistic", "dnc-svm"}) {
      visit(trained(data, method, small_trees()), data, method + " on data " + std::to_string(k));
    }
  }
}

TEST(LabelTree, SearchOfAllGroupsFindsWhatEveryChildGets) {
  for_each_tree_model([](const ModelBody& model, const Dataset& data, const std::string& name) {
    const NodeClassifier& root = model.nodes[0];
    ASSERT_TRUE(root.tree) << name;
    EXPECT_GT(root.tree->groups(), 10) << name;
    LabelTreeSearch search(model);
    for (Index s = 0; s < data.samples(); s += 7) {
      const std::map<std::int32_t, Way> expected = all_ways(model, root, data, s);
      ASSERT_EQ(expected.size(), root.children.size()) << name;
      const auto& found = search.find(root, data, s, kAll);
      ASSERT_EQ(found.size(), expected.size()) << name;
      for (const LabelTreeSearch::Reached& one : found) {
        EXPECT_NEAR(one.log_probability, expected.at(one.child).log_probability, 1e-9) << name;
        EXPECT_NEAR(one.score, expected.at(one.child).score, 1e-9) << name;
      }
    }
  });
}

TEST(LabelTree, BeamKeepsTheBestGroupsOfEveryLevelAndTheWantedOne) {
  for_each_tree_model([](const ModelBody& model, const Dataset& data, const std::string& name) {
    const NodeClassifier& root = model.nodes[0];
    LabelTreeSearch search(model);
    for (Index s = 0; s < data.samples(); s += 31) {
      const std::map<std::int32_t, Way> all = all_ways(model, root, data, s);
      const auto found = search.find(root, data, s, 2);
      EXPECT_LE(found.size(), 8U) << name;  // two last groups of at most four
      for (const auto& one : found) EXPECT_NEAR(one.log_probability, all.at(one.child).log_probability, 1e-9) << name;
      for (std::int32_t wanted = 0; wanted < std::ssize(root.children); wanted += 5) {
        const auto with_wanted = search.find(root, data, s, 1, wanted);
        EXPECT_TRUE(std::ranges::any_of(with_wanted, [&](const auto& one) { return one.child == wanted; })) << name;
      }
    }
  });
}

TEST(LabelTree, PredictionsFollowTheSearch) {
  for_each_tree_model([](const ModelBody& model, const Dataset& data, const std::string& name) {
    const NodeClassifier& root = model.nodes[0];
    Context ctx({.threads = 2});
    const Predictions best = predict(model, data, {.policy = Policy::kBest, .top_k = 5, .beam = kAll}, ctx);
    const Predictions greedy = predict(model, data, {.policy = Policy::kGreedy}, ctx);
    LabelTreeSearch search(model);
    for (Index s = 0; s < data.samples(); s += 5) {
      std::vector<std::pair<double, NodeId>> ranked;
      for (const auto& [child, way] : all_ways(model, root, data, s)) {
        ranked.emplace_back(-way.log_probability, root.children[static_cast<std::size_t>(child)]);
      }
      std::ranges::sort(ranked);
      ASSERT_EQ(best.labels_of(s).size(), 5U) << name;
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_NEAR(best.scores_of(s)[k], std::exp(-ranked[k].first), 1e-9) << name;
        if (ranked[k + 1].first - ranked[k].first > 1e-9 && (k == 0 || ranked[k].first - ranked[k - 1].first > 1e-9)) {
          EXPECT_EQ(best.labels_of(s)[k], ranked[k].second) << name;
        }
      }
      const auto found = search.find(root, data, s);
      const auto first = std::ranges::max_element(found, {}, &LabelTreeSearch::Reached::log_probability);
      std::set<NodeId> expected;
      for (const auto& one : found) {
        const bool is_taken =
            model.has_probabilities ? one.log_probability >= first->log_probability - std::log(2.0) : one.score > 0;
        if (one.child == first->child || (model.is_multilabel && is_taken)) {
          expected.insert(root.children[static_cast<std::size_t>(one.child)]);
        }
      }
      const auto labels = greedy.labels_of(s);
      EXPECT_EQ(std::set<NodeId>(labels.begin(), labels.end()), expected) << name << " sample " << s;
    }
  });
}

TEST(LabelTree, FindsClassesAboutAsWellAsACompleteSearch) {
  for (const bool sparse : {true, false}) {
    const Dataset data = many_classes({.samples = 600, .sparse = sparse});
    Context ctx({.threads = 2});
    const auto right = [&](const ModelBody& model) {
      const Predictions found = predict(model, data, {}, ctx);
      Index count = 0;
      for (Index s = 0; s < data.samples(); ++s) count += found.labels_of(s)[0] == data.labels(s)[0] ? 1 : 0;
      return static_cast<double>(count) / static_cast<double>(data.samples());
    };
    const double complete = right(trained(data, "top-down-svm"));
    EXPECT_GT(complete, 0.8);
    EXPECT_GT(right(trained(data, "top-down-svm", small_trees())), complete - 0.1);
  }
}

TEST(LabelTree, OnlyNodesWithManyChildrenHaveOne) {
  const Dataset data = many_classes({});
  EXPECT_FALSE(trained(data, "top-down-svm").nodes[0].tree);
  EXPECT_FALSE(trained(data, "top-down-svm", {{"label-tree", "61"}}).nodes[0].tree);
  EXPECT_TRUE(trained(data, "top-down-svm", {{"label-tree", "60"}}).nodes[0].tree);
  EXPECT_FALSE(trained(data, "top-down-svm", {{"label-tree", "0"}}).nodes[0].tree);
  EXPECT_FALSE(trained(data, "top-down-svm", small_trees({{"calibrate", "temperature"}})).nodes[0].tree);
}

std::string bytes_of(const ModelBody& model) {
  StringSink sink;
  write_model(model, sink);
  return sink.text();
}

TEST(LabelTree, SameBytesForAnyNumberOfThreads) {
  for (const bool several : {false, true}) {
    const Dataset data = many_classes({.several_labels = several});
    const std::string one = bytes_of(trained(data, "top-down-svm", small_trees(), 1));
    EXPECT_EQ(one, bytes_of(trained(data, "top-down-svm", small_trees(), 2)));
    EXPECT_EQ(one, bytes_of(trained(data, "top-down-svm", small_trees(), 3)));
  }
}

TEST(LabelTree, SurvivesItsFile) {
  for_each_tree_model([](const ModelBody& model, const Dataset& data, const std::string& name) {
    const std::string bytes = bytes_of(model);
    EXPECT_EQ(bytes[12], 2) << name;  // the version
    const ModelBody again = parse_model(Input::from_bytes("m.clade", bytes));
    EXPECT_EQ(bytes_of(again), bytes) << name;
    Context ctx({.threads = 2});
    const Predictions before = predict(model, data, {}, ctx);
    const Predictions after = predict(again, data, {}, ctx);
    EXPECT_EQ(before.labels, after.labels) << name;
    EXPECT_EQ(before.scores, after.scores) << name;
  });
}

TEST(LabelTree, ChangedBytesAreFoundBeforeTheyAreUsed) {
  const Dataset data = many_classes({});
  const ModelBody model = trained(data, "top-down-svm", small_trees());
  const std::string bytes = bytes_of(model);
  Context ctx({.threads = 1});
  const Predictions expected = predict(model, data, {}, ctx);
  std::mt19937 random(1);
  int found_later = 0;
  for (int k = 0; k < 400; ++k) {
    std::string changed = bytes;
    changed[random() % changed.size()] ^= static_cast<char>(1U << (random() % 8));
    try {
      const ModelBody other = parse_model(Input::from_bytes("m.clade", changed));
      ++found_later;
      const Predictions predicted = predict(other, data, {}, ctx);
      // Between arrays, in the checksum of the whole, or in a group that no sample needs.
      EXPECT_EQ(predicted.labels, expected.labels);
      EXPECT_EQ(predicted.scores, expected.scores);
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(found_later, 50);
}

TEST(LabelTree, HostileWeightsAreRefused) {
  const Dataset data = many_classes({});
  const ModelBody model = trained(data, "top-down-svm", small_trees());
  const LabelTree& tree = *model.nodes[0].tree;
  std::mt19937 random(2);
  int refused = 0;
  for (int k = 0; k < 2000; ++k) {
    const auto g = static_cast<std::size_t>(random() % static_cast<unsigned>(tree.groups()));
    // As many doubles as the bytes need, for their alignment.
    std::vector<double> kept(tree.packed[g].size() / 8 + 2, 0);
    auto* const own = reinterpret_cast<std::uint8_t*>(kept.data());
    std::ranges::copy(tree.packed[g], own);
    std::size_t size = tree.packed[g].size();
    if (k % 5 == 0) size = random() % (size + 8);
    if (size > 0) {
      std::uint8_t& byte = own[random() % (k % 2 == 0 ? std::min<std::size_t>(size, 16) : size)];
      byte = static_cast<std::uint8_t>(byte ^ (1U << (random() % 8)));
    }
    auto changed = std::make_shared<LabelTree>();
    changed->offsets = tree.offsets;
    changed->order = tree.order;
    changed->packed = tree.packed;
    changed->checksum = tree.checksum;
    changed->packed[g] = {own, size};
    changed->checksum[g] = group_checksum(changed->packed[g]);
    changed->prepare(model.features);
    ModelBody other = model;
    other.nodes[0].tree = changed;
    try {
      LabelTreeSearch(other).find(other.nodes[0], data, 0, kAll);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(LabelTree, ReadersOfEarlierFilesStillCan) {
  const Dataset data = many_classes({});
  EXPECT_EQ(bytes_of(trained(data, "top-down-svm"))[12], 1);
}

TEST(LabelTree, RoundedWeightsAreClose) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const std::vector<FeatureIndex> features{2, 3, 5, 7, 11, 13};
  std::vector<SparseOutput> weights(5);
  std::vector<double> bias;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (std::int32_t c = 0; c < 6; ++c) {
      if (o < 4 && random() % 3 > 0) weights[o].emplace_back(c, normal(random) * std::pow(10, static_cast<double>(o)));
    }
    bias.push_back(normal(random));
  }
  for (const GroupPrecision precision : {GroupPrecision::kByte, GroupPrecision::kFloat}) {
    const std::vector<std::uint8_t> bytes = packed_group(weights, bias, features, precision);
    std::vector<double> aligned(bytes.size() / 8 + 1);
    std::ranges::copy(bytes, reinterpret_cast<std::uint8_t*>(aligned.data()));
    const GroupWeights group = unpacked_group({reinterpret_cast<std::uint8_t*>(aligned.data()), bytes.size()}, 5);
    EXPECT_TRUE(std::ranges::equal(group.bias, bias));
    std::map<std::pair<FeatureIndex, std::size_t>, double> kept;
    for (std::size_t k = 0; k < group.features.size(); ++k) {
      for (std::size_t e = group.offsets[k]; e < group.offsets[k + 1]; ++e) {
        const double weight = std::visit([&](auto w) { return static_cast<double>(w[e]); }, group.weights);
        kept[{group.features[k], group.outputs[e]}] = double{group.scale[group.outputs[e]]} * weight;
      }
    }
    for (std::size_t o = 0; o < weights.size(); ++o) {
      double largest = 0;
      for (const auto& [column, value] : weights[o]) largest = std::max(largest, std::abs(value));
      const double most = precision == GroupPrecision::kByte ? largest / 253 : largest * 1e-7;
      for (const auto& [column, value] : weights[o]) {
        EXPECT_NEAR((kept[{features[static_cast<std::size_t>(column)], o}]), value, most);
      }
    }
  }
}

TEST(LabelTree, SimilarChildrenAreNeighbours) {
  // Children of a topic differ by the order of their ids; after three halvings each part has one topic.
  const Dataset data = many_classes({.classes = 64, .topics = 8, .samples = 64 * 20});
  const NodeTable table = node_tables(data)[0];
  Context ctx({.threads = 2});
  const TrainingRows rows = training_rows(data, table.rows, {}, ctx);
  const std::vector<std::int32_t> order = order_by_similarity(table, rows, 3, 1, ctx);
  std::vector<std::int32_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::int32_t c = 0; c < 64; ++c) EXPECT_EQ(sorted[static_cast<std::size_t>(c)], c);
  // Two random children of a part share their topic in one of eight cases.
  int together = 0;
  int pairs = 0;
  const std::vector<std::int32_t> bounds = halving_bounds(64, 3);
  ASSERT_EQ(bounds.size(), 9U);
  for (std::size_t p = 0; p + 1 < bounds.size(); ++p) {
    for (std::int32_t a = bounds[p]; a < bounds[p + 1]; ++a) {
      for (std::int32_t b = bounds[p]; b < a; ++b, ++pairs) {
        together += order[static_cast<std::size_t>(a)] % 8 == order[static_cast<std::size_t>(b)] % 8 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(together, pairs / 2);
}

TEST(LabelTree, HalvesDifferByOneAtMost) {
  for (const std::int32_t count : {1, 2, 7, 64, 1000, 12345}) {
    for (const int halvings : {0, 1, 3, 5}) {
      const std::vector<std::int32_t> bounds = halving_bounds(count, halvings);
      ASSERT_EQ(bounds.size(), (std::size_t{1} << static_cast<unsigned>(halvings)) + 1);
      EXPECT_EQ(bounds.front(), 0);
      EXPECT_EQ(bounds.back(), count);
      for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
        EXPECT_LE(std::abs(bounds[k + 1] - bounds[k] - count / (1 << halvings)), 1);
      }
    }
  }
}

TEST(LabelTree, ExplanationsAndNodeScoresShowOnlyTheHierarchy) {
  for_each_tree_model([](const ModelBody& model, const Dataset& data, const std::string& name) {
    const NodeClassifier& root = model.nodes[0];
    EXPECT_EQ(model.taxonomy->size(), 61) << name;
    Context ctx({.threads = 2});
    const std::vector<Step> steps = explain(model, data, 3, root.children[40], 4);
    ASSERT_EQ(steps.size(), 1U) << name;
    EXPECT_EQ(steps[0].node, 0) << name;
    EXPECT_EQ(steps[0].child, root.children[40]) << name;
    EXPECT_NE(steps[0].rival, kNoNode) << name;
    EXPECT_TRUE(std::isfinite(steps[0].margin)) << name;
    const std::map<std::int32_t, Way> ways = all_ways(model, root, data, 3);
    EXPECT_NEAR(steps[0].probability, std::exp(ways.at(40).log_probability), 1e-9) << name;
    const NodeScores scores = node_scores(model, data, Consistency::kDescendants, ctx);
    ASSERT_EQ(scores.nodes, 61) << name;
    if (model.is_multilabel) return;
    for (std::size_t c = 0; c < root.children.size(); ++c) {
      const double score = scores.of(3)[static_cast<std::size_t>(root.children[c])];
      const double expected = std::exp(ways.at(static_cast<std::int32_t>(c)).log_probability);
      EXPECT_TRUE(score == 0 || std::abs(score - expected) < 1e-9) << name;
    }
  });
}

}  // namespace
}  // namespace clade

#include <clade/evaluate.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

#include "evaluate/measures_by_definition.h"
#include "evaluate/random_outcomes.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using testing::Case;
using testing::CaseShape;
using testing::random_case;
using Lists = testing::CaseShape::Lists;

// What evaluate() is to take as the predicted sets.
std::vector<std::vector<NodeId>> predicted_sets(const Case& c, std::size_t most) {
  std::vector<std::vector<NodeId>> sets;
  for (Index s = 0; s < c.data.samples(); ++s) {
    const auto list = c.predictions.labels_of(s);
    std::vector<NodeId> set(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(most, list.size())));
    std::sort(set.begin(), set.end());
    std::vector<NodeId> specific;
    for (const NodeId node : set) {
      if (std::none_of(set.begin(), set.end(), [&](NodeId other) { return c.taxonomy.is_ancestor(node, other); })) {
        specific.push_back(node);
      }
    }
    sets.push_back(specific);
  }
  return sets;
}

void expect_same(const Evaluation& evaluation, const std::map<std::string, double>& expected) {
  for (std::size_t m = 0; m < measures().size(); ++m) {
    const std::string name(measures()[m].name);
    if (!expected.contains(name)) {
      EXPECT_FALSE(evaluation.values[m]) << name;
      continue;
    }
    ASSERT_TRUE(evaluation.values[m]) << name;
    EXPECT_NEAR(*evaluation.values[m], expected.at(name), 1e-12) << name;
  }
}

bool lists_hold_the_truth(const Case& c) {
  for (Index s = 0; s < c.data.samples(); ++s) {
    const auto list = c.predictions.labels_of(s);
    for (const NodeId label : c.data.labels(s)) {
      if (std::find(list.begin(), list.end(), label) == list.end()) return false;
    }
  }
  return true;
}

// All kinds of data: trees and DAGs, one or several labels, leaves only or inner nodes too.
template <class Check>
void for_random_cases(int cases, CaseShape shape, Check&& check) {
  Context ctx({.threads = 2});
  for (int k = 0; k < cases; ++k) {
    RandomStream random(20261115, {kTestStream, static_cast<std::uint64_t>(k)});
    shape.most_parents = 1 + static_cast<int>(random.below(3));
    shape.inner_labels = random.uniform() < 0.5;
    const Case c = random_case(shape, random);
    SCOPED_TRACE("case " + std::to_string(k));
    check(c, k, ctx);
    if (::testing::Test::HasFailure()) return;
  }
}

constexpr Average kAverages[] = {Average::kMicro, Average::kSamples, Average::kMacro};

TEST(Evaluate, SinglePredictionsMatchTheDefinitions) {
  for_random_cases(1500, {.lists = Lists::kSingle}, [](const Case& c, int k, Context& ctx) {
    const EvaluateOptions options{.average = kAverages[k % 3], .count_root = k % 2 == 0};
    const bool ranked = lists_hold_the_truth(c);
    expect_same(evaluate(c.data, c.predictions, options, {}, ctx),
                testing::measures_by_definition(c, predicted_sets(c, 1), options.average, options.count_root, ranked));
  });
}

TEST(Evaluate, LabelSetsMatchTheDefinitions) {
  for_random_cases(1500, {.most_labels = 4, .lists = Lists::kSets}, [](const Case& c, int k, Context& ctx) {
    const EvaluateOptions options{.average = kAverages[k % 3], .count_root = k % 2 == 0, .label_set = LabelSet::kAll};
    const bool ranked = lists_hold_the_truth(c);
    expect_same(
        evaluate(c.data, c.predictions, options, {}, ctx),
        testing::measures_by_definition(c, predicted_sets(c, 100), options.average, options.count_root, ranked));
  });
}

TEST(Evaluate, LabelSetsOfWideDagsMatchTheDefinitions) {
  // Many ways up, so that connectors of F_LCA must be chosen among several.
  CaseShape shape{.most_nodes = 30, .most_labels = 5, .lists = Lists::kSets};
  Context ctx({.threads = 2});
  for (std::uint64_t k = 0; k < 300; ++k) {
    RandomStream random(7, {kTestStream, k});
    shape.most_parents = 4;
    const Case c = random_case(shape, random);
    const EvaluateOptions options{.label_set = LabelSet::kAll};
    const bool ranked = lists_hold_the_truth(c);
    SCOPED_TRACE("case " + std::to_string(k));
    expect_same(evaluate(c.data, c.predictions, options, {}, ctx),
                testing::measures_by_definition(c, predicted_sets(c, 100), Average::kMicro, false, ranked));
    if (HasFailure()) return;
  }
}

TEST(Evaluate, FullRankingsWithTiesMatchTheDefinitions) {
  for_random_cases(1000, {.most_labels = 3, .lists = Lists::kRankings, .distinct_scores = 4},
                   [](const Case& c, int k, Context& ctx) {
                     const EvaluateOptions options{
                         .average = kAverages[k % 3], .label_set = LabelSet::kTopK, .top_k = 1 + k % 3};
                     const auto sets = predicted_sets(c, static_cast<std::size_t>(options.top_k));
                     expect_same(evaluate(c.data, c.predictions, options, {}, ctx),
                                 testing::measures_by_definition(c, sets, options.average, false, true));
                   });
}

TEST(Evaluate, WeightedLossHasItsCostsAndVolumes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("volumes.csv");
  for (const Lists lists : {Lists::kSingle, Lists::kSets}) {
    for_random_cases(200, {.most_labels = 3, .lists = lists}, [&](const Case& c, int k, Context& ctx) {
      std::vector<double> volumes(static_cast<std::size_t>(c.taxonomy.size()), 1);
      std::ofstream file(path);
      file << "node,volume\n";
      for (NodeId v = 0; v < c.taxonomy.size(); v += 2) {
        volumes[static_cast<std::size_t>(v)] = (v * 7 + k) % 5;
        file << c.taxonomy.name(v) << "," << volumes[static_cast<std::size_t>(v)] << "\n";
      }
      file.close();
      const EvaluateOptions options{.label_set = LabelSet::kAll,
                                    .loss_missed = 0.5 * (k % 4),
                                    .loss_extra = 2,
                                    .loss_volumes = k % 3 == 0 ? "" : path};
      const auto expected = testing::measures_by_definition(
          c, predicted_sets(c, 100), options.average, false, lists_hold_the_truth(c), options.loss_missed,
          options.loss_extra, k % 3 == 0 ? std::vector<double>() : volumes);
      expect_same(evaluate(c.data, c.predictions, options, {}, ctx), expected);
    });
  }
}

TEST(Evaluate, FoldsMayWeighAsMuchAsTheyHaveSamples) {
  for_random_cases(20, {.samples = 30}, [](const Case& c, int, Context& ctx) {
    std::vector<Index> folds;
    for (Index s = 0; s < c.data.samples(); ++s) folds.push_back(s < 20 ? 0 : s < 25 ? 1 : 2);
    const Evaluation all = evaluate(c.data, c.predictions, {}, {}, ctx);
    const Evaluation weighted = evaluate(c.data, c.predictions, {.fold_average = FoldAverage::kSamples}, folds, ctx);
    // The mean over samples is the mean over folds with these weights.
    EXPECT_NEAR(*weighted.value("tie"), *all.value("tie"), 1e-12);
    EXPECT_NEAR(*weighted.value("accuracy"), *all.value("accuracy"), 1e-12);
  });
}

TEST(Evaluate, FastPathAndPlainPathAgree) {
  // Single labels are scored as pairs with --label-set top-1 and as sets of one with --label-set all.
  CaseShape shape{.most_nodes = 40, .samples = 200, .right = 0.6};
  for_random_cases(200, shape, [](const Case& c, int k, Context& ctx) {
    EvaluateOptions options{.average = kAverages[k % 3], .count_root = k % 2 == 0};
    const Evaluation fast = evaluate(c.data, c.predictions, options, {}, ctx);
    options.label_set = LabelSet::kAll;
    const Evaluation plain = evaluate(c.data, c.predictions, options, {}, ctx);
    for (std::size_t m = 0; m < measures().size(); ++m) {
      ASSERT_EQ(fast.values[m].has_value(), plain.values[m].has_value());
      if (!fast.values[m]) continue;
      EXPECT_NEAR(*fast.values[m], *plain.values[m], 1e-12) << measures()[m].name;
    }
    for (std::size_t v = 0; v < fast.nodes.size(); ++v) {
      EXPECT_EQ(fast.nodes[v].support, plain.nodes[v].support);
      EXPECT_EQ(fast.nodes[v].predicted, plain.nodes[v].predicted);
      EXPECT_EQ(fast.nodes[v].correct, plain.nodes[v].correct);
    }
    for (std::size_t v = 0; v < fast.levels.size(); ++v) {
      EXPECT_EQ(fast.levels[v].samples, plain.levels[v].samples);
      EXPECT_EQ(fast.levels[v].right, plain.levels[v].right);
    }
    const auto same = [](const Confusion& a, const Confusion& b) {
      return a.truth == b.truth && a.predicted == b.predicted && a.count == b.count && a.distance == b.distance;
    };
    EXPECT_TRUE(std::equal(fast.most_frequent.begin(), fast.most_frequent.end(), plain.most_frequent.begin(),
                           plain.most_frequent.end(), same));
    EXPECT_TRUE(std::equal(fast.most_costly.begin(), fast.most_costly.end(), plain.most_costly.begin(),
                           plain.most_costly.end(), same));
  });
}

TEST(Evaluate, MoreLevelsThanAWordHasBits) {
  TaxonomyBuilder builder;
  for (int k = 0; k < 100; ++k) builder.edge("n" + std::to_string(k), "n" + std::to_string(k + 1));
  builder.edge("n0", "side");
  const Taxonomy taxonomy = builder.build();
  const Dataset data = testing::make_dataset(taxonomy, {{*taxonomy.find("n100")}, {*taxonomy.find("n100")}});
  Predictions predictions{{0, 1, 2}, {*taxonomy.find("n90"), *taxonomy.find("side")}, {1, 1}};
  Context ctx;
  const Evaluation evaluation = evaluate(data, predictions, {}, {}, ctx);
  EXPECT_DOUBLE_EQ(*evaluation.value("tie"), (10 + 101) / 2.0);
  EXPECT_DOUBLE_EQ(*evaluation.value("hierarchical_accuracy"), 0.9 / 2);
  EXPECT_EQ(evaluation.levels[99].samples, 2);
  EXPECT_EQ(evaluation.levels[99].right, 0);
  EXPECT_EQ(evaluation.levels[49].right, 1);
}

TEST(Evaluate, PerfectPredictionsArePerfect) {
  for (const auto lists : {Lists::kSets, Lists::kRankings}) {
    for_random_cases(300, {.most_labels = 3, .lists = lists}, [](const Case& c, int, Context& ctx) {
      Predictions perfect;
      for (Index s = 0; s < c.data.samples(); ++s) {
        for (const NodeId label : c.data.labels(s)) {
          perfect.labels.push_back(label);
          perfect.scores.push_back(1);
        }
        perfect.offsets.push_back(static_cast<Index>(perfect.labels.size()));
      }
      const Evaluation evaluation = evaluate(c.data, perfect, {.label_set = LabelSet::kAll}, {}, ctx);
      for (std::size_t m = 0; m < measures().size(); ++m) {
        const std::string name(measures()[m].name);
        if (name == "coverage_error" || name.find("_at_") != name.npos || name.starts_with("au_prc")) continue;
        ASSERT_TRUE(evaluation.values[m]) << name;
        EXPECT_EQ(*evaluation.values[m], measures()[m].higher_is_better ? 1 : 0) << name;
      }
      const bool has_sets = std::ssize(perfect.labels) > perfect.samples();
      EXPECT_EQ(evaluation.value("precision_at_1"), has_sets ? std::optional<double>(1) : std::nullopt);
      double labels = 0;
      for (Index s = 0; s < c.data.samples(); ++s) labels += static_cast<double>(c.data.labels(s).size());
      EXPECT_DOUBLE_EQ(*evaluation.value("coverage_error"), labels / static_cast<double>(c.data.samples()));
      EXPECT_TRUE(evaluation.most_frequent.empty());
    });
  }
}

// Exchanges truth and prediction.
Case exchanged(const Case& c) {
  std::vector<std::vector<NodeId>> labels = predicted_sets(c, 100);
  Predictions predictions;
  for (Index s = 0; s < c.data.samples(); ++s) {
    for (const NodeId label : c.data.labels(s)) {
      predictions.labels.push_back(label);
      predictions.scores.push_back(1);
    }
    predictions.offsets.push_back(static_cast<Index>(predictions.labels.size()));
  }
  return {c.hierarchy, c.taxonomy, testing::make_dataset(c.taxonomy, labels), predictions};
}

TEST(Evaluate, TruthAndPredictionChangePlaces) {
  for_random_cases(600, {.most_labels = 3, .lists = Lists::kSets}, [](const Case& c, int k, Context& ctx) {
    const EvaluateOptions options{.average = kAverages[k % 3], .label_set = LabelSet::kAll};
    const Evaluation there = evaluate(c.data, c.predictions, options, {}, ctx);
    const Case back = exchanged(c);
    const Evaluation here = evaluate(back.data, back.predictions, options, {}, ctx);
    for (const char* symmetric :
         {"accuracy", "hierarchical_f1", "tie", "tie_normalized", "f_lca", "hierarchical_accuracy", "symmetric_loss"}) {
      EXPECT_NEAR(*there.value(symmetric), *here.value(symmetric), 1e-12) << symmetric;
    }
    EXPECT_NEAR(*there.value("hierarchical_precision"), *here.value("hierarchical_recall"), 1e-12);
    EXPECT_NEAR(*there.value("p_lca"), *here.value("r_lca"), 1e-12);
  });
}

TEST(Evaluate, EachF1LiesBetweenItsPrecisionAndRecall) {
  for_random_cases(300, {.most_labels = 3, .samples = 1, .lists = Lists::kSets}, [](const Case& c, int, Context& ctx) {
    const Evaluation evaluation = evaluate(c.data, c.predictions, {.label_set = LabelSet::kAll}, {}, ctx);
    const auto between = [&](const char* f, const char* p, const char* r) {
      const auto [low, high] = std::minmax({*evaluation.value(p), *evaluation.value(r)});
      EXPECT_GE(*evaluation.value(f), low - 1e-12);
      EXPECT_LE(*evaluation.value(f), high + 1e-12);
    };
    between("hierarchical_f1", "hierarchical_precision", "hierarchical_recall");
    between("f_lca", "p_lca", "r_lca");
  });
}

TEST(Evaluate, OrderOfSamplesAndThreadsChangeNothing) {
  for_random_cases(60, {.most_labels = 2, .samples = 150, .lists = Lists::kRankings},
                   [](const Case& c, int k, Context&) {
                     RandomStream random(5, {kTestStream, static_cast<std::uint64_t>(k)});
                     std::vector<Index> order(static_cast<std::size_t>(c.data.samples()));
                     std::iota(order.begin(), order.end(), 0);
                     random.shuffle(std::span<Index>(order));
                     Predictions shuffled;
                     for (const Index s : order) {
                       const auto labels = c.predictions.labels_of(s);
                       const auto scores = c.predictions.scores_of(s);
                       shuffled.labels.insert(shuffled.labels.end(), labels.begin(), labels.end());
                       shuffled.scores.insert(shuffled.scores.end(), scores.begin(), scores.end());
                       shuffled.offsets.push_back(static_cast<Index>(shuffled.labels.size()));
                     }
                     const EvaluateOptions options{.bootstrap = true, .resamples = 20};
                     std::vector<Evaluation> results;
                     for (const int threads : {1, 2, 3}) {
                       Context ctx({.threads = threads});
                       results.push_back(evaluate(c.data, c.predictions, options, {}, ctx));
                     }
                     Context ctx;
                     const Evaluation other = evaluate(c.data.subset(order), shuffled, {}, {}, ctx);
                     for (std::size_t m = 0; m < measures().size(); ++m) {
                       EXPECT_EQ(results[0].values[m], results[1].values[m]);
                       EXPECT_EQ(results[0].values[m], results[2].values[m]);
                       ASSERT_EQ(results[0].values[m].has_value(), results[0].intervals[m].has_value());
                       if (!results[0].values[m]) continue;
                       EXPECT_EQ(results[0].intervals[m]->low, results[1].intervals[m]->low);
                       EXPECT_EQ(results[0].intervals[m]->high, results[2].intervals[m]->high);
                       EXPECT_NEAR(*results[0].values[m], *other.values[m], 1e-12);
                     }
                   });
}

TEST(Evaluate, SamplesWithoutALabelAreLeftOut) {
  const Taxonomy taxonomy = flat_taxonomy(std::vector<std::string>{"a", "b"});
  const NodeId a = *taxonomy.find("a");
  const NodeId b = *taxonomy.find("b");
  const Dataset data = testing::make_dataset(taxonomy, {{a}, {}, {b}});
  const Predictions predictions{{0, 1, 2, 3}, {a, b, a}, {0, 0, 0}};
  Context ctx;
  const Evaluation evaluation = evaluate(data, predictions, {}, {}, ctx);
  EXPECT_EQ(evaluation.samples, 2);
  EXPECT_EQ(*evaluation.value("accuracy"), 0.5);
  EXPECT_THAT(evaluation.notes, ::testing::Contains(::testing::HasSubstr("samples without a label, left out: 1")));
  EXPECT_THROW(evaluate(testing::make_dataset(taxonomy, {{}}), {{0, 1}, {a}, {0}}, {}, {}, ctx), Error);
}

TEST(Evaluate, FoldsAreAveragedWithEqualWeight) {
  for_random_cases(
      50, {.most_labels = 2, .samples = 30, .lists = Lists::kRankings}, [](const Case& c, int k, Context& ctx) {
        std::vector<Index> folds;
        for (Index s = 0; s < c.data.samples(); ++s) folds.push_back(s < 20 ? 0 : s < 25 ? 1 : 2);
        const EvaluateOptions options{.average = kAverages[k % 3]};
        const Evaluation together = evaluate(c.data, c.predictions, options, folds, ctx);
        std::vector<Evaluation> apart;
        for (Index fold = 0; fold < 3; ++fold) {
          // The others lose their labels: they are left out, and the classes stay the same.
          std::vector<std::vector<NodeId>> labels;
          for (Index s = 0; s < c.data.samples(); ++s) {
            const auto truth = c.data.labels(s);
            labels.emplace_back();
            if (folds[static_cast<std::size_t>(s)] == fold) labels.back().assign(truth.begin(), truth.end());
          }
          apart.push_back(evaluate(testing::make_dataset(c.taxonomy, labels), c.predictions, options, {}, ctx));
        }
        for (std::size_t m = 0; m < measures().size(); ++m) {
          if (!apart[0].values[m]) {
            EXPECT_FALSE(together.values[m]) << measures()[m].name;
            continue;
          }
          const double mean = (*apart[0].values[m] + *apart[1].values[m] + *apart[2].values[m]) / 3;
          double squares = 0;
          for (const auto& part : apart) squares += std::pow(*part.values[m] - mean, 2);
          EXPECT_NEAR(*together.values[m], mean, 1e-12) << measures()[m].name;
          EXPECT_NEAR(*together.deviations[m], std::sqrt(squares / 2), 1e-12) << measures()[m].name;
          for (std::size_t f = 0; f < 3; ++f) {
            EXPECT_NEAR(*together.folds[f].values[m], *apart[f].values[m], 1e-12) << measures()[m].name;
          }
        }
        ASSERT_EQ(together.folds.size(), 3U);
        for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(together.folds[f].samples, apart[f].samples);
      });
}

TEST(Measures, AreDefinedOnTheirPage) {
  std::ifstream page(CLADE_SOURCE_DIR "/docs/methods/measures.md");
  std::stringstream text;
  text << page.rdbuf();
  const std::string definitions = text.str().substr(text.str().find("\n## Notation"));
  for (const MeasureInfo& measure : measures()) {
    // Under a heading, or in a row of a table.
    const std::string pattern = "\n(###[^\n]*|\\| )`" + std::string(measure.name) + "`";
    EXPECT_TRUE(std::regex_search(definitions, std::regex(pattern))) << measure.name;
  }
}

TEST(Evaluate, PublishedProtocolIsThePapers) {
  // Samples averaging with the root; the sum of tie over a fold, averaged over folds, divided by all samples.
  for_random_cases(50, {.samples = 40}, [](const Case& c, int, Context& ctx) {
    std::vector<Index> folds;
    for (Index s = 0; s < c.data.samples(); ++s) folds.push_back(s % 10);
    const Evaluation published = evaluate(c.data, c.predictions, {.protocol = Protocol::kPublished}, folds, ctx);
    const Evaluation plain =
        evaluate(c.data, c.predictions, {.average = Average::kSamples, .count_root = true}, {}, ctx);
    // Folds of one size: means over folds are means over samples.
    EXPECT_NEAR(*published.value("hierarchical_f1"), *plain.value("hierarchical_f1"), 1e-12);
    EXPECT_NEAR(*published.value("tie_normalized"), *plain.value("tie") / 10, 1e-12);
  });
}

TEST(Evaluate, BreakdownCountsNodesLevelsAndConfusions) {
  for_random_cases(300, {.most_labels = 3, .samples = 20, .lists = Lists::kSets}, [](const Case& c, int, Context& ctx) {
    const Evaluation evaluation =
        evaluate(c.data, c.predictions, {.label_set = LabelSet::kAll, .confusions = 1000}, {}, ctx);
    const testing::Definitions defs(c);
    const auto sets = predicted_sets(c, 100);
    std::vector<NodeScore> expected(static_cast<std::size_t>(c.taxonomy.size()));
    std::map<std::pair<NodeId, NodeId>, Index> confusions;
    for (Index s = 0; s < c.data.samples(); ++s) {
      const std::vector<NodeId> truth(c.data.labels(s).begin(), c.data.labels(s).end());
      const auto& predicted = sets[static_cast<std::size_t>(s)];
      for (NodeId v = 0; v < c.taxonomy.size(); ++v) {
        const auto bit = testing::BruteForce::bit(static_cast<std::size_t>(v));
        const bool is_true = (defs.aug(truth) & bit) != 0;
        const bool is_predicted = (defs.aug(predicted) & bit) != 0;
        expected[static_cast<std::size_t>(v)].support += is_true ? 1 : 0;
        expected[static_cast<std::size_t>(v)].predicted += is_predicted ? 1 : 0;
        expected[static_cast<std::size_t>(v)].correct += is_true && is_predicted ? 1 : 0;
      }
      for (const NodeId z : predicted) {
        NodeId nearest = truth[0];
        for (const NodeId y : truth) nearest = defs.distance(y, z) < defs.distance(nearest, z) ? y : nearest;
        if (nearest != z) ++confusions[{nearest, z}];
      }
    }
    Index by_levels = 0;
    for (const LevelScore& level : evaluation.levels) by_levels += level.total.correct;
    Index by_nodes = 0;
    for (std::size_t v = 0; v < expected.size(); ++v) {
      EXPECT_EQ(evaluation.nodes[v].support, expected[v].support);
      EXPECT_EQ(evaluation.nodes[v].predicted, expected[v].predicted);
      EXPECT_EQ(evaluation.nodes[v].correct, expected[v].correct);
      if (v > 0) by_nodes += expected[v].correct;
    }
    EXPECT_EQ(by_levels, by_nodes);
    ASSERT_EQ(evaluation.most_frequent.size(), confusions.size());
    ASSERT_EQ(evaluation.most_costly.size(), confusions.size());
    for (std::size_t k = 0; k < confusions.size(); ++k) {
      const Confusion& confusion = evaluation.most_frequent[k];
      EXPECT_EQ(confusion.count, (confusions[{confusion.truth, confusion.predicted}]));
      EXPECT_EQ(confusion.distance, defs.distance(confusion.truth, confusion.predicted));
      if (k == 0) continue;
      EXPECT_GE(evaluation.most_frequent[k - 1].count, confusion.count);
      EXPECT_GE(evaluation.most_costly[k - 1].cost(), evaluation.most_costly[k].cost());
    }
  });
}

TEST(Evaluate, AutoTakesTheFirstLabelAllLabelsOrNotes) {
  const Taxonomy taxonomy = flat_taxonomy(std::vector<std::string>{"a", "b", "c"});
  const Dataset data = testing::make_dataset(taxonomy, {{1, 2}, {3}});
  Context ctx;
  const Predictions sets{{0, 2, 3}, {1, 2, 3}, {1, 0, 1}};
  EXPECT_EQ(*evaluate(data, sets, {}, {}, ctx).value("accuracy"), 1);
  const Predictions rankings{{0, 3, 6}, {1, 2, 3, 3, 1, 2}, {2, 1, 0, 2, 1, 0}};
  const Evaluation ranked = evaluate(data, rankings, {}, {}, ctx);
  EXPECT_EQ(*ranked.value("accuracy"), 0.5);
  EXPECT_THAT(ranked.notes, ::testing::Contains(::testing::HasSubstr("rank every class")));
  EXPECT_EQ(*evaluate(data, rankings, {.label_set = LabelSet::kThreshold, .threshold = 1}, {}, ctx).value("accuracy"),
            0.5);
  EXPECT_EQ(*evaluate(data, rankings, {.label_set = LabelSet::kTopK, .top_k = 2}, {}, ctx).value("accuracy"), 0.5);
}

TEST(Evaluate, IntervalsHoldTheValueAndNarrowWithMoreSamples) {
  const Taxonomy taxonomy = flat_taxonomy(std::vector<std::string>{"a", "b", "c"});
  double last = 1;
  for (const Index samples : {50, 500, 5000}) {
    RandomStream random(3, {kTestStream});
    std::vector<std::vector<NodeId>> labels;
    Predictions predictions;
    for (Index s = 0; s < samples; ++s) {
      labels.push_back({static_cast<NodeId>(1 + random.below(3))});
      predictions.labels.push_back(random.uniform() < 0.7 ? labels.back()[0] : 1);
      predictions.scores.push_back(0);
      predictions.offsets.push_back(s + 1);
    }
    Context ctx;
    const Evaluation evaluation =
        evaluate(testing::make_dataset(taxonomy, labels), predictions, {.bootstrap = true}, {}, ctx);
    const double accuracy = *evaluation.value("accuracy");
    const Interval interval = *evaluation.intervals[0];
    const double expected = 1.96 * std::sqrt(accuracy * (1 - accuracy) / static_cast<double>(samples));
    EXPECT_NEAR(interval.low, accuracy - expected, 0.35 * expected);
    EXPECT_NEAR(interval.high, accuracy + expected, 0.35 * expected);
    EXPECT_LT(interval.high - interval.low, last);
    last = interval.high - interval.low;
  }
}

}  // namespace
}  // namespace clade

#include "classify/predict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "classify/explain.h"
#include "classify/local/calibration.h"
#include "classify/node_decision.h"
#include "classify/trained_models.h"
#include "core/random.h"

namespace clade {
namespace {

using testing::Judged;
using testing::Method;
using testing::slow_judgement;
using testing::trained;

struct Labelled {
  NodeId node;
  double probability;
};

Predictions predicted(const ModelBody& model, const Dataset& data, const PredictOptions& options, int threads = 2) {
  Context ctx({.threads = threads});
  return predict(model, data, options, ctx);
}

// Random models of every kind on random data: visit(model, data, name).
void for_each_model(bool has_several_labels,
                    const std::function<void(const ModelBody&, const Dataset&, const std::string&)>& visit) {
  for (int k = 0; k < 16; ++k) {
    const RandomDataOptions options = testing::random_training_options(k);
    if (options.several_labels != has_several_labels) continue;
    const Dataset data = random_dataset(options);
    for (const Method& method : testing::top_down_methods()) {
      std::string name = "problem " + std::to_string(k) + " " + method.name;
      for (const auto& [parameter, value] : method.parameters)
        name.append(" ").append(parameter).append("=" + value.text());
      const ModelBody model = trained(data, method.name, method.parameters);
      visit(model, data, name);
    }
  }
}

// Every end of a way down, with the largest product of probabilities among the ways to it.
std::map<NodeId, double> all_ends(const ModelBody& model, const Dataset& data, Index sample) {
  std::map<NodeId, double> ends;
  const std::function<void(NodeId, double)> walk = [&](NodeId at, double p) {
    const NodeClassifier* node = model.at(at);
    if (node == nullptr) {
      double& best = ends.try_emplace(at, 0).first->second;
      best = std::max(best, p);
      return;
    }
    const Judged judged = slow_judgement(model, *node, data, sample);
    for (std::size_t c = 0; c < node->children.size(); ++c) walk(node->children[c], p * judged.probabilities[c]);
  };
  walk(0, 1);
  return ends;
}

// The nodes on the way of the best child each time, with their probabilities.
std::vector<Labelled> greedy_way(const ModelBody& model, const Dataset& data, Index sample) {
  std::vector<Labelled> way{{0, 1}};
  while (const NodeClassifier* node = model.at(way.back().node)) {
    const Judged judged = slow_judgement(model, *node, data, sample);
    const auto& deciding = judged.deciding();
    const auto c = static_cast<std::size_t>(std::max_element(deciding.begin(), deciding.end()) - deciding.begin());
    way.push_back({node->children[c], way.back().probability * judged.probabilities[c]});
  }
  return way;
}

TEST(Predict, GreedyTakesTheBestChildEachTime) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    const Predictions found = predicted(model, data, {.policy = Policy::kGreedy});
    ASSERT_EQ(found.samples(), data.samples());
    for (Index s = 0; s < data.samples(); ++s) {
      const Labelled expected = greedy_way(model, data, s).back();
      ASSERT_EQ(found.labels_of(s).size(), 1U) << name;
      EXPECT_EQ(found.labels_of(s)[0], model.taxonomy->fold(expected.node)) << name << " sample " << s;
      EXPECT_NEAR(found.scores_of(s)[0], expected.probability, 1e-9) << name << " sample " << s;
    }
  });
}

TEST(Predict, BestIsTheMostProbableOfAllPaths) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    const Predictions first = predicted(model, data, {.policy = Policy::kBest});
    const Predictions all = predicted(model, data, {.policy = Policy::kBest, .top_k = 1000});
    const Predictions some = predicted(model, data, {.policy = Policy::kBest, .top_k = 3});
    for (Index s = 0; s < data.samples(); ++s) {
      std::map<NodeId, double> expected;  // by what they stand for
      for (const auto& [end, p] : all_ends(model, data, s)) expected[model.taxonomy->fold(end)] = p;
      ASSERT_EQ(all.labels_of(s).size(), expected.size()) << name << " sample " << s;
      std::set<NodeId> seen;
      for (std::size_t r = 0; r < expected.size(); ++r) {
        const NodeId label = all.labels_of(s)[r];
        EXPECT_TRUE(seen.insert(label).second) << name;
        ASSERT_TRUE(expected.contains(label)) << name;
        EXPECT_NEAR(all.scores_of(s)[r], expected[label], 1e-9) << name << " sample " << s;
        if (r > 0) {
          EXPECT_LE(all.scores_of(s)[r], all.scores_of(s)[r - 1]) << name;
        }
      }
      EXPECT_EQ(first.labels_of(s)[0], all.labels_of(s)[0]) << name;
      ASSERT_EQ(some.labels_of(s).size(), std::min<std::size_t>(3, expected.size())) << name;
      EXPECT_TRUE(std::ranges::equal(some.labels_of(s), all.labels_of(s).first(some.labels_of(s).size()))) << name;
    }
  });
}

TEST(Predict, ChildrenShareAProbabilityOfOne) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    if (!model.taxonomy->is_tree()) return;
    const Predictions all = predicted(model, data, {.policy = Policy::kBest, .top_k = 1000});
    for (Index s = 0; s < data.samples(); ++s) {
      const auto scores = all.scores_of(s);
      EXPECT_NEAR(std::accumulate(scores.begin(), scores.end(), 0.0), 1, 1e-9) << name;
    }
  });
}

TEST(Predict, BeamOfOneIsGreedy) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    // Of equal votes greedy takes the class that came first in training, best the first node.
    if (model.nodes[0].decision == Decision::kVotes) return;
    const Predictions greedy = predicted(model, data, {.policy = Policy::kGreedy});
    const Predictions narrow = predicted(model, data, {.policy = Policy::kBest, .beam = 1});
    for (Index s = 0; s < data.samples(); ++s) {
      // Where children are equally probable but for rounding, greedy still sees which score is larger.
      const bool is_same = narrow.labels_of(s)[0] == greedy.labels_of(s)[0];
      EXPECT_NEAR(narrow.scores_of(s)[0], greedy.scores_of(s)[0], is_same ? 0 : 1e-14) << name << " sample " << s;
    }
  });
}

// A model without weights: for every sample the children of a node have the scores that score(node, child) says.
class ConstantModel {
 public:
  ConstantModel(const Taxonomy& taxonomy, const std::function<double(NodeId, NodeId)>& score) {
    model_.classifier = "top-down-logistic";
    model_.taxonomy = taxonomy;
    model_.features = 1;
    model_.has_probabilities = true;
    for (const NodeId node : taxonomy.internal_nodes()) {
      NodeClassifier& classifier = model_.nodes.emplace_back();
      classifier.node = node;
      const auto children = taxonomy.children(node);
      classifier.children.assign(children.begin(), children.end());
      auto& own = bias_.emplace_back();
      for (const NodeId child : children) own.push_back(score(node, child));
      classifier.linear = {.count = std::ssize(children), .features = {}, .offsets = offsets_, .bias = own};
    }
  }
  const ModelBody& model() const { return model_; }

 private:
  std::vector<std::vector<double>> bias_;
  std::vector<std::uint32_t> offsets_{0};
  ModelBody model_;
};

// A narrow beam is full of nodes that were opened by a better way: it must still lead somewhere.
TEST(Predict, BeamForgetsNodesThatAreOpen) {
  TaxonomyBuilder builder;
  builder.edge("root", "left");
  builder.edge("root", "right");
  builder.edge("left", "upper");
  builder.edge("right", "upper");
  builder.edge("upper", "lower");
  builder.edge("right", "lower");
  for (int k = 0; k < 10; ++k) builder.edge("lower", "leaf" + std::to_string(k));
  const Taxonomy taxonomy = builder.build();
  const NodeId left = *taxonomy.find("left");
  const ConstantModel made(taxonomy, [&](NodeId, NodeId child) { return child == left ? 0.5 : 0.0; });
  const Dataset data = random_dataset({.samples = 1, .features = 1});
  for (const Index beam : {1, 2, 3, 4, 100}) {
    const Predictions found = predicted(made.model(), data, {.policy = Policy::kBest, .beam = beam});
    ASSERT_EQ(found.labels_of(0).size(), 1U) << beam;
    EXPECT_EQ(taxonomy.name(found.labels_of(0)[0]), "leaf0") << beam;
    EXPECT_NEAR(found.scores_of(0)[0], 0.1 / (1 + std::exp(-0.5)), 1e-12) << beam;
  }
}

// A beam never does better than all paths, and a wide one finds the best of them.
TEST(Predict, BeamsWhereWaysMeet) {
  const Dataset data = random_dataset({.samples = 1, .features = 1});
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, {kTestStream, 70});
    TaxonomyBuilder builder;
    for (NodeId k = 0; k < 16; ++k) builder.node("n" + std::to_string(k));
    for (NodeId child = 1; child < 16; ++child) {
      std::set<NodeId> parents;
      for (int k = 0; k < 4; ++k) parents.insert(static_cast<NodeId>(random.below(std::min<Index>(child, 12))));
      for (const NodeId parent : parents) builder.edge(parent, child);
    }
    const ConstantModel made(builder.build(), [&](NodeId, NodeId) { return 2 * random.normal(); });
    double most = 0;
    for (const auto& [end, p] : all_ends(made.model(), data, 0)) most = std::max(most, p);
    for (const Index beam : {0, 1, 2, 3, 100}) {
      const Predictions found = predicted(made.model(), data, {.policy = Policy::kBest, .beam = beam});
      ASSERT_EQ(found.labels_of(0).size(), 1U) << "seed " << seed << " beam " << beam;
      EXPECT_LE(found.scores_of(0)[0], most + 1e-12) << "seed " << seed << " beam " << beam;
      if (beam == 0 || beam == 100) {
        EXPECT_NEAR(found.scores_of(0)[0], most, 1e-12) << "seed " << seed << " beam " << beam;
      }
    }
  }
}

TEST(Predict, ConfidenceStopsAtTheDeepestNodeThatIsLikelyEnough) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    for (const double confidence : {0.2, 0.5, 0.8, 1.0}) {
      const Predictions found = predicted(model, data, {.confidence = confidence});
      for (Index s = 0; s < data.samples(); ++s) {
        Labelled expected{0, 1};
        double nearest = 1;
        for (const Labelled& step : greedy_way(model, data, s)) {
          nearest = std::min(nearest, std::abs(step.probability - confidence));
          if (step.probability >= confidence) expected = step;
        }
        if (nearest < 1e-9 && confidence < 1) continue;  // a matter of rounding
        EXPECT_EQ(found.labels_of(s)[0], model.taxonomy->fold(expected.node)) << name << " " << confidence;
        EXPECT_NEAR(found.scores_of(s)[0], expected.probability, 1e-9) << name;
      }
    }
  });
}

// Several labels: of the children of a node the best, and all others whose own decision is for them; by the better of
// several ways. Nothing where rounding decides: isotonic values are often equal, or one half.
std::map<NodeId, double> slow_multilabel(const ModelBody& model, const Dataset& data, Index sample) {
  std::map<NodeId, double> at{{0, 1}};
  std::map<NodeId, double> ends;
  for (NodeId node = 0; node < model.taxonomy->size(); ++node) {
    if (!at.contains(node)) continue;
    const NodeClassifier* classifier = model.at(node);
    if (classifier == nullptr) {
      ends[node] = at[node];
      continue;
    }
    const Judged judged = slow_judgement(model, *classifier, data, sample);
    const auto& deciding = judged.deciding();
    const auto best = static_cast<std::size_t>(std::max_element(deciding.begin(), deciding.end()) - deciding.begin());
    for (std::size_t c = 0; c < classifier->children.size(); ++c) {
      // By itself where calibrated, by its share of a softmax, by its margin; votes give one child.
      const bool has_votes = !judged.is_calibrated && classifier->decision == Decision::kVotes;
      const bool is_shared = !judged.is_calibrated && !has_votes && model.has_probabilities;
      const double value = is_shared ? judged.probabilities[c] : deciding[c];
      const double least = judged.is_calibrated ? 0.5 : is_shared ? 0.5 * judged.probabilities[best] : 0;
      const bool is_close = std::abs(value - least) < 1e-9 || std::abs(deciding[c] - deciding[best]) < 1e-9;
      if ((judged.is_calibrated || is_shared) && c != best && is_close) return {};
      if (c != best && (has_votes || !(value > least))) continue;
      double& p = at.try_emplace(classifier->children[c], 0).first->second;
      p = std::max(p, at[node] * judged.probabilities[c]);
    }
  }
  return ends;
}

TEST(Predict, SeveralLabels) {
  bool has_seen_several = false;
  for_each_model(true, [&](const ModelBody& model, const Dataset& data, const std::string& name) {
    ASSERT_TRUE(model.is_multilabel) << name;
    const Predictions found = predicted(model, data, {});
    for (Index s = 0; s < data.samples(); ++s) {
      const std::map<NodeId, double> expected = slow_multilabel(model, data, s);
      if (expected.empty()) continue;
      ASSERT_EQ(found.labels_of(s).size(), expected.size()) << name << " sample " << s;
      has_seen_several |= expected.size() > 1;
      std::map<NodeId, double> folded;
      for (const auto& [node, p] : expected) folded[model.taxonomy->fold(node)] = p;
      for (std::size_t r = 0; r < expected.size(); ++r) {
        ASSERT_TRUE(folded.contains(found.labels_of(s)[r])) << name;
        EXPECT_NEAR(found.scores_of(s)[r], folded[found.labels_of(s)[r]], 1e-9) << name;
        if (r > 0) {
          EXPECT_LE(found.scores_of(s)[r], found.scores_of(s)[r - 1]) << name;
        }
      }
    }
  });
  EXPECT_TRUE(has_seen_several);
}

// What becomes of a sample does not depend on its company, nor on the threads: to the last bit.
TEST(Predict, SampleIsPredictedAlike) {
  for (const bool several : {false, true}) {
    for_each_model(several, [](const ModelBody& model, const Dataset& data, const std::string& name) {
      for (const Policy policy : {Policy::kGreedy, Policy::kBest}) {
        const PredictOptions options{.policy = policy, .top_k = policy == Policy::kBest ? 2 : 1};
        const Predictions whole = predicted(model, data, options, 1);
        std::vector<Index> many;  // several tasks, the samples over and over from the last to the first
        for (Index s = 0; s < 4500; ++s) many.push_back(data.samples() - 1 - s % data.samples());
        for (const int threads : {1, 2, 3}) {
          const Predictions found = predicted(model, data.subset(many), options, threads);
          for (Index s = 0; s < 4500; s += threads == 1 ? 1 : 7) {
            const Index source = many[static_cast<std::size_t>(s)];
            ASSERT_TRUE(std::ranges::equal(found.labels_of(s), whole.labels_of(source))) << name;
            ASSERT_TRUE(std::ranges::equal(found.scores_of(s), whole.scores_of(source))) << name;
          }
        }
        for (Index s = 0; s < data.samples(); s += 5) {
          const Predictions alone = predicted(model, data.subset({s}), options);
          ASSERT_TRUE(std::ranges::equal(alone.labels_of(0), whole.labels_of(s))) << name;
          ASSERT_TRUE(std::ranges::equal(alone.scores_of(0), whole.scores_of(s))) << name;
        }
      }
    });
  }
}

TEST(Predict, InnerLabelsComeBack) {
  Dataset::Parts parts = random_parts({.samples = 60, .features = 6, .nodes = 7, .density = 1, .seed = 5});
  TaxonomyBuilder builder;
  for (const char* child : {"a", "b"}) builder.edge("r", child);
  for (const char* child : {"a1", "a2"}) builder.edge("a", child);
  parts.taxonomy = builder.build();
  parts.labels = {};
  auto& values = std::get<DenseMatrix<double>>(parts.features).values;
  const std::vector<std::string> names{"a", "a1", "a2", "b"};
  for (Index s = 0; s < 60; ++s) {
    const auto label = static_cast<std::size_t>(s % 4);
    parts.labels.nodes.push_back(*parts.taxonomy->find(names[label]));
    parts.labels.offsets.push_back(s + 1);
    values[s * 6 + static_cast<Index>(label)] += 20;
  }
  const Dataset data(std::move(parts));
  for (const Policy policy : {Policy::kGreedy, Policy::kBest}) {
    for (const char* method : {"top-down-svm", "top-down-logistic", "path-svm"}) {
      const ModelBody model = trained(data, method);
      EXPECT_EQ(model.taxonomy->size(), 6);  // with the leaf for samples of "a" itself
      if (policy == Policy::kGreedy && model.kind == ModelKind::kPaths) {
        EXPECT_THROW(predicted(model, data, {.policy = policy}), Error);
        continue;
      }
      const Predictions found = predicted(model, data, {.policy = policy});
      for (Index s = 0; s < 60; ++s) EXPECT_EQ(found.labels_of(s)[0], data.labels(s)[0]) << method;
    }
  }
}

// One child below another, a class of one sample, classes without any.
TEST(Predict, ChainsAndRareClasses) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("a", "b");
  builder.edge("b", "c");
  for (const char* leaf : {"c1", "c2", "rare", "never"}) builder.edge("c", leaf);
  builder.edge("r", "nobody");
  builder.edge("nobody", "nothing");
  Dataset::Parts parts = random_parts({.samples = 31, .features = 3, .density = 1, .seed = 9});
  parts.taxonomy = builder.build();
  parts.labels = {};
  for (Index s = 0; s < 31; ++s) {
    parts.labels.nodes.push_back(*parts.taxonomy->find(s == 30 ? "rare" : s % 2 == 0 ? "c1" : "c2"));
    parts.labels.offsets.push_back(s + 1);
  }
  const Dataset data(std::move(parts));
  for (const Method& method : testing::top_down_methods()) {
    const ModelBody model = trained(data, method.name, method.parameters);
    const Predictions all = predicted(model, data, {.policy = Policy::kBest, .top_k = 100});
    for (Index s = 0; s < 31; ++s) {
      ASSERT_EQ(all.labels_of(s).size(), 3U);
      double sum = 0;
      for (const double p : all.scores_of(s)) sum += p;
      EXPECT_NEAR(sum, 1, 1e-9);
    }
    // No doubt down to the choice.
    const Predictions sure = predicted(model, data, {.confidence = 1});
    for (Index s = 0; s < 31; ++s) {
      EXPECT_TRUE(sure.labels_of(s)[0] == *model.taxonomy->find("c") || sure.scores_of(s)[0] == 1);
    }
  }
}

// Scores far from all that training has seen.
TEST(Predict, ProbabilitiesOfAnyScoresSumToOne) {
  const Calibration sigmoid{Calibration::Kind::kSigmoid, {-3, 0.5}, {}};
  const Calibration isotonic{Calibration::Kind::kIsotonic, {-1, 0, 1}, {0.01, 0.3, 0.97}};
  for (const auto& calibration : {std::vector<Calibration>{}, std::vector<Calibration>(3, sigmoid),
                                  std::vector<Calibration>(3, isotonic), std::vector<Calibration>(3)}) {
    for (const double temperature : {0.001, 1.0, 50.0, 1e5}) {
      NodeClassifier node;
      node.children = {1, 2, 3};
      node.calibration = calibration;
      node.temperature = temperature;
      for (const double scale : {1.0, 1e3, 1e6, 1e300}) {
        for (const double shift : {0.0, -1.0, 1.0}) {
          const std::vector<double> scores{(0.3 + shift) * scale, (-0.2 + shift) * scale, (0.1 + shift) * scale};
          std::vector<double> p(3);
          child_probabilities(node, scores, false, p);
          EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-9) << temperature << " " << scale << " " << shift;
          for (const double each : p) EXPECT_GE(each, 0);
          EXPECT_GE(p[0], p[1]);
          child_probabilities(node, scores, true, p);
          for (const double each : p) EXPECT_TRUE(each >= 0 && each <= 1);
        }
      }
    }
  }
}

TEST(Predict, WrongOptionsAreRefused) {
  const Dataset data = random_dataset({.samples = 30, .density = 1});
  const ModelBody svm = trained(data, "top-down-svm");
  const ModelBody paths = trained(data, "path-svm");
  EXPECT_THROW(predicted(svm, data, {.policy = Policy::kGreedy, .top_k = 2}), Error);
  EXPECT_THROW(predicted(svm, data, {.policy = Policy::kGreedy, .beam = 2}), Error);
  EXPECT_THROW(predicted(svm, data, {.policy = Policy::kBest, .confidence = 0.5}), Error);
  EXPECT_THROW(predicted(paths, data, {.confidence = 0.5}), Error);
  EXPECT_THROW(predicted(svm, random_dataset({.features = 6}), {}), Error);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Dataset::Parts parts = random_parts({.samples = 3, .density = 1});
    std::get<DenseMatrix<double>>(parts.features).values[7] = bad;
    const Dataset missing(std::move(parts));
    EXPECT_THROW(predicted(svm, missing, {}), Error);
    EXPECT_THROW(predicted(paths, missing, {}), Error);
  }
}

TEST(Predict, AutoIsBestWhereThereAreProbabilities) {
  for_each_model(false, [](const ModelBody& model, const Dataset&, const std::string& name) {
    EXPECT_EQ(chosen_policy(model, {}), model.has_probabilities ? Policy::kBest : Policy::kGreedy) << name;
    EXPECT_EQ(chosen_policy(model, {.top_k = 2}), Policy::kBest) << name;
    EXPECT_EQ(chosen_policy(model, {.confidence = 0.5}), Policy::kGreedy) << name;
  });
}

// A weight of 0 is as good as no sample, in scales, calibration and all.
TEST(Predict, WeightZeroLeavesTheSampleOut) {
  for (int k = 0; k < 16; k += 3) {
    RandomDataOptions options = testing::random_training_options(k);
    options.inner_labels = false;
    const Dataset data = random_dataset(options);
    std::vector<double> weight;
    std::vector<Index> kept;
    for (Index s = 0; s < data.samples(); ++s) {
      weight.push_back(s % 4 == 1 ? 0 : 1);
      if (s % 4 != 1) kept.push_back(s);
    }
    std::vector<Method> methods = testing::top_down_methods();
    methods.push_back({"path-svm", {}});
    for (const Method& method : methods) {
      Context ctx({.threads = 2});
      TrainOptions train{
          .classifier = method.name, .parameters = method.parameters, .ranking = {}, .top = 0, .weight = weight};
      const ModelBody weighted = train_model(data, train, ctx);
      const ModelBody without = trained(data.subset(kept), method.name, method.parameters);
      EXPECT_EQ(weighted.samples, std::ssize(kept));
      const Predictions a = predicted(weighted, data, {});
      const Predictions b = predicted(without, data, {});
      EXPECT_EQ(a.labels, b.labels) << method.name;
      ASSERT_EQ(a.scores.size(), b.scores.size());
      for (std::size_t e = 0; e < a.scores.size(); ++e) EXPECT_NEAR(a.scores[e], b.scores[e], 1e-9) << method.name;
      train.weight.assign(weight.size(), 0);
      EXPECT_THROW(train_model(data, train, ctx), Error);
    }
  }
}

TEST(Explain, ReasonsAndBiasesAddUpToTheMargin) {
  for_each_model(false, [](const ModelBody& model, const Dataset& data, const std::string& name) {
    const Predictions found = predicted(model, data, {.policy = Policy::kBest});
    for (Index s = 0; s < data.samples(); ++s) {
      const std::vector<Step> steps = explain(model, data, s, found.labels_of(s)[0], 1000);
      double probability = 1;
      NodeId at = 0;
      for (const Step& step : steps) {
        EXPECT_EQ(step.node, at) << name;
        at = step.child;
        probability *= step.probability;
        const NodeClassifier& node = *model.at(step.node);
        const Judged judged = slow_judgement(model, node, data, s);
        const auto place = [&](NodeId child) {
          return static_cast<std::size_t>(std::ranges::find(node.children, child) - node.children.begin());
        };
        if (node.children.size() == 1) {
          EXPECT_EQ(step.rival, kNoNode) << name;
          continue;
        }
        const std::size_t chosen = place(step.child);
        const std::size_t rival = place(step.rival);
        ASSERT_NE(chosen, rival);
        for (std::size_t c = 0; c < judged.scores.size(); ++c) {
          if (c != chosen) {
            EXPECT_LE(judged.scores[c], judged.scores[rival] + 1e-12) << name;
          }
        }
        EXPECT_NEAR(step.margin, judged.scores[chosen] - judged.scores[rival], 1e-9) << name;
        if (node.decision == Decision::kVotes) continue;
        double sum = node.linear.bias[chosen] - node.linear.bias[rival];
        for (std::size_t r = 0; r < step.reasons.size(); ++r) {
          sum += step.reasons[r].contribution;
          EXPECT_EQ(step.reasons[r].value, values_of(data, s)[step.reasons[r].feature]);
          if (r > 0) {
            EXPECT_LE(step.reasons[r].contribution, step.reasons[r - 1].contribution) << name;
          }
        }
        EXPECT_NEAR(sum, step.margin, 1e-9) << name;
        const Step first =
            explain(model, data, s, found.labels_of(s)[0], 1)[static_cast<std::size_t>(&step - steps.data())];
        EXPECT_EQ(first.reasons.size(), std::min<std::size_t>(1, step.reasons.size()));
      }
      EXPECT_EQ(model.taxonomy->fold(at), found.labels_of(s)[0]) << name;
      EXPECT_NEAR(probability, found.scores_of(s)[0], 1e-9) << name;
    }
  });
}

}  // namespace
}  // namespace clade

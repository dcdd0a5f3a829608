#include "classify/output_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "classify/feature_places.h"
#include "classify/pack.h"
#include "classify/predict.h"
#include "classify/prepared_outputs.h"
#include "classify/trained_models.h"
#include "core/parallel.h"
#include "core/random.h"
#include "how_many.h"

namespace clade {
namespace {

constexpr Index kFeatures = 300;

TEST(FeaturePlaces, AreThoseInTheList) {
  RandomStream random(1, {kTestStream, 80});
  for (const Index all : {1, 2, 63, 64, 65, 1000, 50000}) {
    for (const double share : {0.0, 0.0005, 0.01, 0.03, 0.04, 0.5, 1.0}) {
      std::vector<FeatureIndex> listed;
      std::vector<Index> expected(static_cast<std::size_t>(all), -1);
      for (Index f = 0; f < all; ++f) {
        // Half of them close together, as where frequent words come first.
        if (random.uniform() >= (f < all / 8 ? 4 * share : share / 2)) continue;
        expected[static_cast<std::size_t>(f)] = std::ssize(listed);
        listed.push_back(static_cast<FeatureIndex>(f));
      }
      const FeaturePlaces places(listed, all);
      for (Index f = 0; f < all; ++f) {
        ASSERT_EQ(places.of(static_cast<FeatureIndex>(f)), expected[static_cast<std::size_t>(f)])
            << f << " of " << all << ", share " << share;
      }
    }
  }
}

// Outputs whose rows are empty, short, nearly full and full.
struct RandomOutputs {
  PackedWeights storage;
  ModelBody model;
  std::vector<std::vector<double>> weights;  // by feature and output, as they are stored

  RandomOutputs(Index count, WeightPrecision precision, bool has_unit_rows, RandomStream& random) {
    std::vector<SparseOutput> columns(kFeatures);
    std::vector<FeatureIndex> features;
    std::vector<double> bias;
    weights.assign(kFeatures, std::vector<double>(static_cast<std::size_t>(count), 0));
    for (Index o = 0; o < count; ++o) bias.push_back(random.normal());
    for (Index f = 0; f < kFeatures; ++f) {
      features.push_back(static_cast<FeatureIndex>(f));
      const double share = std::max(0.0, 1.5 * random.uniform() - 0.25);
      for (Index o = 0; o < count; ++o) {
        if (random.uniform() >= share) continue;
        const double weight = random.normal();
        columns[static_cast<std::size_t>(f)].emplace_back(static_cast<std::int32_t>(o), weight);
        weights[static_cast<std::size_t>(f)][static_cast<std::size_t>(o)] =
            precision == WeightPrecision::kFloat ? static_cast<double>(static_cast<float>(weight)) : weight;
      }
    }
    Context ctx({.threads = 1});
    model.features = kFeatures;
    model.has_unit_rows = has_unit_rows;
    model.nodes.resize(1);
    model.nodes[0].linear =
        storage.pack_columns([&](Index column, SparseOutput& own) { own = columns[static_cast<std::size_t>(column)]; },
                             bias, features, precision, ctx);
  }
  const LinearOutputs& linear() const { return model.nodes[0].linear; }

  // The definition, summed in the order of the features.
  std::vector<double> outputs_of(const Dataset& data, Index sample) const {
    std::vector<double> sums(linear().bias.size(), 0);
    double square = 0;
    data.for_each_value(sample, [&](FeatureIndex f, auto value) {
      const auto x = static_cast<double>(value);
      square += x * x;
      for (std::size_t o = 0; o < sums.size(); ++o) sums[o] += x * weights[static_cast<std::size_t>(f)][o];
    });
    const double factor = model.has_unit_rows && square > 0 ? 1 / std::sqrt(square) : 1;
    for (std::size_t o = 0; o < sums.size(); ++o) sums[o] = linear().bias[o] + factor * sums[o];
    return sums;
  }
};

Dataset random_samples(bool is_sparse, bool is_single, std::uint64_t seed) {
  RandomDataOptions options;
  options.samples = 60;
  options.features = kFeatures;
  options.sparse = is_sparse;
  options.single_precision = is_single;
  options.density = 0.3;
  options.seed = seed;
  return random_dataset(options);
}

std::vector<double> scored(const RandomOutputs& outputs, const Dataset& data, OutputScorer& scorer) {
  std::vector<double> all;
  std::vector<double> own(static_cast<std::size_t>(outputs.linear().count));
  for (Index s = 0; s < data.samples(); ++s) {
    scorer.score(data, s, own);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// Searched or looked up, weight by weight or in full rows, prepared by any number of threads: the same bits, and up to
// rounding those of the definition.
TEST(OutputScorer, PreparedOrNotTheOutputsAreTheSame) {
  RandomStream random(2, {kTestStream, 81});
  std::uint64_t seed = 1;
  for (const Index count : {1, 7, 31, 32, 33, 40, 64, 590, 70000}) {
    if (count > testing::how_many(1000, 100000)) continue;
    for (const WeightPrecision precision : {WeightPrecision::kFloat, WeightPrecision::kDouble}) {
      const bool has_unit_rows = seed % 2 == 0;
      const Dataset data = random_samples(seed % 3 != 0, seed % 4 == 0, seed);
      ++seed;
      const RandomOutputs outputs(count, precision, has_unit_rows, random);
      OutputScorer scorer(outputs.model);
      scorer.use(outputs.linear(), 1);
      const std::vector<double> plain = scored(outputs, data, scorer);
      for (Index s = 0; s < data.samples(); ++s) {
        const std::vector<double> expected = outputs.outputs_of(data, s);
        for (std::size_t o = 0; o < expected.size(); ++o) {
          const double own = plain[static_cast<std::size_t>(s) * expected.size() + o];
          ASSERT_NEAR(own, expected[o], 1e-12 * (1 + std::abs(expected[o]))) << count << " outputs, " << o;
        }
      }
      scorer.use(outputs.linear(), 1000);
      EXPECT_EQ(scored(outputs, data, scorer), plain) << count << " outputs, looked up";
      const NodePlaces places(outputs.model, 1000);
      for (const int threads : {1, 2, 3}) {
        Context ctx({.threads = threads});
        EXPECT_FALSE(full_rows(outputs.linear(), 1, ctx)) << "one sample is not worth it";
        const std::optional<FullRows> rows = full_rows(outputs.linear(), 1000, ctx);
        ASSERT_EQ(rows.has_value(), count >= 32 && precision == WeightPrecision::kFloat) << count;
        scorer.use(outputs.linear(), places.of(outputs.model.nodes[0], 1000), rows ? &*rows : nullptr);
        EXPECT_EQ(scored(outputs, data, scorer), plain) << count << " outputs, " << threads << " threads";
      }
    }
  }
}

TEST(FullRows, TakeNoMoreMemoryThanTheWeights) {
  RandomStream random(3, {kTestStream, 82});
  const RandomOutputs outputs(400, WeightPrecision::kFloat, false, random);
  Context ctx({.threads = 2});
  const std::optional<FullRows> rows = full_rows(outputs.linear(), 1000, ctx);
  ASSERT_TRUE(rows);
  EXPECT_LE(rows->rows.size() * 4, 6 * Index{outputs.linear().offsets.back()});
  EXPECT_GT(rows->rows.size(), 0);
  for (std::size_t place = 0; place < outputs.linear().features.size(); ++place) {
    const float* const row = rows->of(place);
    const auto& weights = outputs.weights[static_cast<std::size_t>(outputs.linear().features[place])];
    const auto stored = std::ranges::count_if(weights, [](double w) { return w != 0; });
    if (row == nullptr) {
      EXPECT_LT(stored, 400) << "a full row";
      continue;
    }
    EXPECT_GE(4 * stored, 400);
    for (std::size_t o = 0; o < rows->width; ++o) EXPECT_EQ(row[o], o < 400 ? static_cast<float>(weights[o]) : 0.0F);
  }
}

TEST(NodePlaces, AreMadeOnceForManySamples) {
  RandomStream random(4, {kTestStream, 83});
  const RandomOutputs outputs(5, WeightPrecision::kFloat, false, random);
  const NodeClassifier& node = outputs.model.nodes[0];
  const NodePlaces few(outputs.model, 3);
  EXPECT_EQ(few.of(node, 3), nullptr);
  const NodePlaces many(outputs.model, 1000);
  for (const int threads : {1, 3}) {
    Context ctx({.threads = threads});
    parallel_for(ctx, 200, 1, [&](Index, Index) { many.of(node, 1); });
  }
  const FeaturePlaces* const made = many.of(node, 1);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(many.of(node, 1), made);
  for (std::size_t k = 0; k < node.linear.features.size(); ++k) {
    EXPECT_EQ(made->of(node.linear.features[k]), static_cast<Index>(k));
  }
}

// Samples one by one, which prepares nothing, and many copies of all of them at once.
TEST(OutputScorer, ManySamplesAreAnsweredLikeEachAlone) {
  for (int k = 0; k < testing::how_many(4, 16); ++k) {
    RandomDataOptions options = testing::random_training_options(k);
    options.nodes = 70;  // outputs enough for full rows
    options.samples = 150;
    options.features = 20;
    const Dataset data = random_dataset(options);
    std::vector<Index> many;
    for (Index repeat = 0; repeat < 20; ++repeat) {
      for (Index s = 0; s < data.samples(); ++s) many.push_back(s);
    }
    for (const std::string classifier : {"top-down-svm", "path-svm", "flat-svm", "hierarchical-svm"}) {
      const ModelBody model = testing::trained(data, classifier);
      Predictions alone;
      Context ctx({.threads = 1});
      for (Index s = 0; s < data.samples(); ++s) {
        const Predictions own = predict(model, data.subset({s}), {}, ctx);
        alone.labels.insert(alone.labels.end(), own.labels.begin(), own.labels.end());
        alone.scores.insert(alone.scores.end(), own.scores.begin(), own.scores.end());
        alone.offsets.push_back(std::ssize(alone.labels));
      }
      for (const int threads : {1, 2, 3}) {
        Context several({.threads = threads});
        const Predictions together = predict(model, data.subset(many), {}, several);
        ASSERT_EQ(together.samples(), std::ssize(many));
        for (Index s = 0; s < together.samples(); ++s) {
          const Index one = many[static_cast<std::size_t>(s)];
          ASSERT_TRUE(std::ranges::equal(together.labels_of(s), alone.labels_of(one))) << classifier << " " << k;
          ASSERT_TRUE(std::ranges::equal(together.scores_of(s), alone.scores_of(one))) << classifier << " " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace clade

#include "classify/pack.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "classify/trained_models.h"
#include "core/random.h"

namespace clade {
namespace {

std::vector<double> random_weights(Index count, double share, RandomStream& random) {
  std::vector<double> weights;
  for (Index k = 0; k < count; ++k) weights.push_back(random.uniform() < share ? random.normal() : 0);
  return weights;
}

double squares(const std::vector<double>& weights) {
  double sum = 0;
  for (const double w : weights) sum += w * w;
  return sum;
}

std::vector<double> spread(const SparseOutput& kept, std::size_t size) {
  std::vector<double> full(size, 0);
  for (const auto& [column, value] : kept) full[static_cast<std::size_t>(column)] = value;
  return full;
}

TEST(Pack, WeightsThatFloatsCannotHoldAreDoubles) {
  const auto packed_as_doubles = [](double weight) {
    PackedWeights storage;
    const LinearOutputs packed = storage.pack({{{0, 1.5}}, {{1, weight}}}, {0, 0}, {3, 4}, WeightPrecision::kFloat);
    const auto* const doubles = std::get_if<1>(&packed.weights);
    EXPECT_TRUE(doubles == nullptr || (*doubles)[1] == weight);
    return doubles != nullptr;
  };
  for (const double weight : {1.0, -1e-37, 3e38, -3e38}) EXPECT_FALSE(packed_as_doubles(weight)) << weight;
  for (const double weight : {1e-39, -1e-60, 4e38, -1e200}) EXPECT_TRUE(packed_as_doubles(weight)) << weight;
}

TEST(Pack, WeightsThatAreNotFiniteAreRefused) {
  PackedWeights storage;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(storage.pack({{{0, infinity}}}, {0}, {3}, WeightPrecision::kFloat), Error);
  EXPECT_THROW(storage.pack({{{0, 1}}}, {std::nan("")}, {3}, WeightPrecision::kDouble), Error);
}

// By column with any number of threads, and by output: the same arrays.
TEST(Pack, ColumnsAreThoseOfTheOutputs) {
  constexpr Index kColumns = 700;
  RandomStream random(3, {kTestStream, 72});
  for (const double largest : {1.0, 1e200, std::numeric_limits<double>::infinity()}) {
    std::vector<SparseOutput> outputs(9);
    std::vector<SparseOutput> columns(kColumns);
    std::vector<FeatureIndex> features;
    for (Index k = 0; k < kColumns; ++k) {
      features.push_back(static_cast<FeatureIndex>(3 * k));
      for (std::int32_t o = 0; o < 9; ++o) {
        if (random.uniform() < 0.8) continue;
        const double value = k == 500 ? largest : random.normal();
        outputs[static_cast<std::size_t>(o)].emplace_back(static_cast<std::int32_t>(k), value);
        columns[static_cast<std::size_t>(k)].emplace_back(o, value);
      }
    }
    const std::vector<double> bias(9, 0.5);
    const auto column = [&](Index k, SparseOutput& weights) { weights = columns[static_cast<std::size_t>(k)]; };
    for (const WeightPrecision precision : {WeightPrecision::kFloat, WeightPrecision::kDouble}) {
      for (const int threads : {1, 2, 3}) {
        Context ctx({.threads = threads});
        PackedWeights storage;
        if (!std::isfinite(largest)) {
          EXPECT_THROW(storage.pack_columns(column, bias, features, precision, ctx), Error);
          continue;
        }
        const LinearOutputs a = storage.pack(outputs, bias, features, precision);
        const LinearOutputs b = storage.pack_columns(column, bias, features, precision, ctx);
        EXPECT_EQ(a.count, b.count);
        EXPECT_TRUE(std::ranges::equal(a.features, b.features));
        EXPECT_LT(a.features.size(), features.size());
        EXPECT_TRUE(std::ranges::equal(a.offsets, b.offsets));
        EXPECT_TRUE(std::ranges::equal(a.bias, b.bias));
        EXPECT_EQ(a.weights.index(), b.weights.index());
        EXPECT_TRUE(std::ranges::equal(std::get<0>(a.outputs), std::get<0>(b.outputs)));
        std::visit(
            [&](const auto& values) {
              EXPECT_TRUE(std::ranges::equal(values, std::get<std::decay_t<decltype(values)>>(b.weights)));
            },
            a.weights);
      }
    }
  }
}

TEST(Pruned, DropsTheSmallestUpToTheShare) {
  RandomStream random(1, {kTestStream, 71});
  for (const double share : {0.0, 0.01, 0.15, 0.5, 0.9}) {
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> weights = random_weights(1 + 7 * k, 0.8, random);
      const SparseOutput kept = pruned(weights, share);
      EXPECT_TRUE(std::ranges::is_sorted(kept, {}, &SparseOutput::value_type::first));
      std::vector<double> dropped = weights;
      double smallest = 1e9;
      for (const auto& [column, value] : kept) {
        EXPECT_EQ(value, weights[static_cast<std::size_t>(column)]);
        EXPECT_NE(value, 0);
        smallest = std::min(smallest, std::abs(value));
        dropped[static_cast<std::size_t>(column)] = 0;
      }
      EXPECT_LE(squares(dropped), share * squares(weights) * (1 + 1e-12));
      for (const double w : dropped) EXPECT_LT(std::abs(w), smallest);
      // One more would have been too much.
      if (!kept.empty()) {
        EXPECT_GT(squares(dropped) + smallest * smallest, share * squares(weights));
      }
      LinearWeights in_place{{weights}, {0}};
      prune_in_place(in_place, share);
      EXPECT_EQ(in_place.w[0], spread(kept, weights.size()));
    }
  }
}

// Small whole numbers times powers of two: all sums are exact, ties are many, and sizes lie many octaves apart.
TEST(Pruned, IsThatOfSortedWeights) {
  RandomStream random(3, {kTestStream, 71});
  for (int k = 0; k < 300; ++k) {
    const double unit = std::ldexp(1, static_cast<int>(random.below(40)) - 20);
    std::vector<double> weights;
    for (Index n = 1 + random.below(200); n > 0; --n) {
      const double sign = random.uniform() < 0.5 ? -1 : 1;
      const double far = k % 3 == 0 && random.uniform() < 0.2 ? std::ldexp(1, -80) : 1;
      weights.push_back(sign * far * unit * static_cast<double>(random.below(k % 2 == 0 ? 6 : 1000)));
    }
    for (const double share : {1e-60, 0.125, 0.25, 0.5, 0.75}) {
      std::vector<double> sorted;
      for (const double w : weights) sorted.push_back(std::abs(w));
      std::ranges::sort(sorted);
      double least = 0;
      double dropped = 0;
      for (const double size : sorted) {
        dropped += size * size;
        if (dropped <= share * squares(weights)) continue;
        least = size;
        break;
      }
      SparseOutput expected;
      SparseOutput all;
      for (std::size_t c = 0; c < weights.size(); ++c) {
        all.emplace_back(static_cast<std::int32_t>(c), weights[c]);
        if (weights[c] != 0 && std::abs(weights[c]) >= least) expected.push_back(all.back());
      }
      EXPECT_EQ(pruned(weights, share), expected) << k << " share " << share;
      EXPECT_EQ(pruned(all, share), expected) << k << " share " << share;
    }
  }
}

// They are refused when packed; until then nothing is dropped.
TEST(Pruned, WeightsThatAreNotFiniteStay) {
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    EXPECT_EQ(pruned(std::vector<double>{1, odd, 2}, 0.5).size(), 3U) << odd;
  }
}

TEST(Pruned, EqualWeightsStayTogether) {
  const std::vector<double> weights{1, -1, 1, 0, -1};
  EXPECT_EQ(pruned(weights, 0.5).size(), 4U);
  EXPECT_TRUE(pruned(std::vector<double>(4, 0), 0.5).empty());
  EXPECT_TRUE(pruned(std::vector<double>{}, 0.5).empty());
}

TEST(PackedWeights, AreTheWeights) {
  RandomStream random(2, {kTestStream, 72});
  PackedWeights storage;
  std::vector<LinearOutputs> packed;
  std::vector<LinearWeights> plain;
  std::vector<std::vector<FeatureIndex>> features;
  for (int k = 0; k < 20; ++k) {
    const Index outputs = 1 + k % 7;
    LinearWeights& weights = plain.emplace_back();
    auto& own = features.emplace_back();
    for (FeatureIndex f = 0; f < 50; ++f) {
      if (random.uniform() < 0.5) own.push_back(f);
    }
    for (Index o = 0; o < outputs; ++o) {
      weights.w.push_back(random_weights(std::ssize(own), 0.3, random));
      weights.bias.push_back(random.normal());
    }
    packed.push_back(storage.pack(pruned(weights, 0), weights.bias, own,
                                  k % 2 == 0 ? WeightPrecision::kDouble : WeightPrecision::kFloat));
  }
  // Afterwards: what was packed first has not moved.
  for (std::size_t k = 0; k < packed.size(); ++k) {
    const LinearOutputs& linear = packed[k];
    EXPECT_EQ(linear.count, std::ssize(plain[k].w));
    EXPECT_EQ(linear.weights.index(), k % 2 == 0 ? 1U : 0U);
    EXPECT_EQ(linear.outputs.index(), 0U);
    EXPECT_TRUE(std::ranges::equal(linear.bias, plain[k].bias));
    EXPECT_TRUE(std::ranges::is_sorted(linear.features));
    const auto full = testing::full_weights(linear, 50);
    for (std::size_t o = 0; o < plain[k].w.size(); ++o) {
      std::vector<double> expected(50, 0);
      for (std::size_t c = 0; c < features[k].size(); ++c) {
        const double w = plain[k].w[o][c];
        expected[static_cast<std::size_t>(features[k][c])] =
            k % 2 == 0 ? w : static_cast<double>(static_cast<float>(w));
      }
      for (std::size_t f = 0; f < 50; ++f) EXPECT_EQ(full[f][o], expected[f]);
    }
    // A feature without weights is not kept.
    for (std::size_t f = 0; f < linear.features.size(); ++f) EXPECT_LT(linear.offsets[f], linear.offsets[f + 1]);
  }
}

TEST(PackedWeights, ManyOutputsNeedWiderNumbers) {
  for (const std::size_t count : {65535U, 65536U, 70000U}) {
    PackedWeights storage;
    std::vector<SparseOutput> weights(count);
    weights[0] = {{0, 1.5}};
    weights[count - 1] = {{0, -2}, {1, 3}};
    const LinearOutputs linear =
        storage.pack(weights, std::vector<double>(count, 0.25), {4, 9}, WeightPrecision::kFloat);
    EXPECT_EQ(linear.count, static_cast<Index>(count));
    EXPECT_EQ(linear.outputs.index(), count > 65535 ? 1U : 0U);
    const auto output = [&](std::size_t e) {
      return std::visit([&](auto v) { return static_cast<std::size_t>(v[e]); }, linear.outputs);
    };
    ASSERT_EQ(linear.offsets.back(), 3U);
    EXPECT_EQ(output(0), 0U);
    EXPECT_EQ(output(1), count - 1);
    EXPECT_EQ(output(2), count - 1);
    EXPECT_EQ(std::get<0>(linear.weights)[2], 3);
    EXPECT_EQ(linear.features[1], 9);
  }
}

TEST(PackOptions, SparseDataIsPrunedUnlessToldOtherwise) {
  const Dataset dense = random_dataset({});
  const Dataset sparse = random_dataset({.sparse = true});
  EXPECT_EQ(PackOptions{}.prune_for(dense), 0);
  EXPECT_EQ(PackOptions{}.prune_for(sparse), 0.15);
  EXPECT_EQ(PackOptions{.prune = 0.3}.prune_for(dense), 0.3);
  EXPECT_EQ(PackOptions{.prune = 0}.prune_for(sparse), 0);
}

}  // namespace
}  // namespace clade

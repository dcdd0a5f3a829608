#include "evaluate/node_areas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "evaluate/random_outcomes.h"

namespace clade {
namespace {

using testing::Case;
using testing::CaseShape;
using testing::random_case;

struct Pair {
  double score;
  bool is_positive;
};

// Precision times the gain in recall, at every different score: the sums over all pairs, done again at each.
double step_area(const std::vector<Pair>& pairs) {
  std::set<double, std::greater<>> scores;
  double positives = 0;
  for (const Pair& pair : pairs) {
    scores.insert(pair.score);
    positives += pair.is_positive ? 1 : 0;
  }
  double area = 0;
  double recall = 0;
  for (const double threshold : scores) {
    double taken = 0;
    double right = 0;
    for (const Pair& pair : pairs) {
      if (pair.score < threshold) continue;
      taken += 1;
      right += pair.is_positive ? 1 : 0;
    }
    area += (right / positives - recall) * right / taken;
    recall = right / positives;
  }
  return area;
}

// The points of the curve one by one, also those between two thresholds, and trapezia under them.
double interpolated_area(const std::vector<Pair>& pairs) {
  std::map<double, std::pair<double, double>, std::greater<>> blocks;  // positives and negatives of each score
  double positives = 0;
  for (const Pair& pair : pairs) {
    (pair.is_positive ? blocks[pair.score].first : blocks[pair.score].second) += 1;
    positives += pair.is_positive ? 1 : 0;
  }
  std::vector<std::pair<double, double>> points;  // recall, precision
  double right = 0;
  double wrong = 0;
  for (const auto& [score, block] : blocks) {
    const auto [more_right, more_wrong] = block;
    const auto add = [&](double r, double w) { points.emplace_back(r / positives, r / (r + w)); };
    if (points.empty()) points.emplace_back(0, more_right / (more_right + more_wrong));
    for (double k = 1; k < more_right && right + wrong > 0; ++k) add(right + k, wrong + more_wrong / more_right * k);
    right += more_right;
    wrong += more_wrong;
    add(right, wrong);
  }
  double area = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    area += (points[k].first - points[k - 1].first) * (points[k].second + points[k - 1].second) / 2;
  }
  return area;
}

struct Scored {
  Case c;
  NodeScores scores;
  std::vector<Index> samples;
};

Scored random_scored(int k) {
  RandomStream random(11, {kTestStream, static_cast<std::uint64_t>(k)});
  CaseShape shape{.most_nodes = 20, .most_labels = 3, .samples = 15};
  shape.most_parents = 1 + k % 3;
  shape.inner_labels = k % 2 == 0;
  Scored result{random_case(shape, random), {}, {}};
  const Taxonomy& taxonomy = result.c.taxonomy;
  // Sometimes fewer nodes than the data has, as with a model that does not know all labels.
  result.scores.nodes = std::max<Index>(1, taxonomy.size() - k % 4);
  for (Index s = 0; s < shape.samples; ++s) {
    result.samples.push_back(s);
    std::vector<double> row;
    for (Index v = 0; v < result.scores.nodes; ++v) {
      row.push_back(k % 5 == 0 ? static_cast<double>(random.below(5)) / 4 : random.uniform());
    }
    row[0] = 1;
    make_consistent(taxonomy, row);
    result.scores.values.insert(result.scores.values.end(), row.begin(), row.end());
  }
  return result;
}

struct Expected {
  NodeAreas areas;
  bool has_positives;
};

Expected by_definition(const Scored& scored, const std::set<NodeId>& left_out,
                       const std::vector<std::uint32_t>& weights) {
  std::vector<Pair> pooled;
  std::map<NodeId, std::vector<Pair>> of_node;
  for (const Index s : scored.samples) {
    for (NodeId v = 1; v < scored.c.taxonomy.size(); ++v) {
      if (left_out.contains(v)) continue;
      bool is_positive = false;
      for (const NodeId label : scored.c.data.labels(s)) {
        is_positive = is_positive || label == v || scored.c.taxonomy.is_ancestor(v, label);
      }
      const double score = v < scored.scores.nodes ? scored.scores.of(s)[static_cast<std::size_t>(v)] : -1;
      for (std::uint32_t w = 0; w < weights[static_cast<std::size_t>(s)]; ++w) {
        pooled.push_back({score, is_positive});
        of_node[v].push_back({score, is_positive});
      }
    }
  }
  Expected expected{};
  const auto positives = [](const std::vector<Pair>& pairs) {
    return static_cast<double>(std::ranges::count_if(pairs, &Pair::is_positive));
  };
  expected.has_positives = positives(pooled) > 0;
  if (!expected.has_positives) return expected;
  expected.areas.pooled = step_area(pooled);
  expected.areas.clus = interpolated_area(pooled);
  double nodes = 0;
  for (const auto& [node, pairs] : of_node) {
    if (positives(pairs) == 0) continue;
    ++nodes;
    expected.areas.macro += step_area(pairs);
    expected.areas.weighted += positives(pairs) / positives(pooled) * step_area(pairs);
  }
  expected.areas.macro /= nodes;
  return expected;
}

void expect_near(const NodeAreas& found, const NodeAreas& expected) {
  EXPECT_NEAR(found.pooled, expected.pooled, 1e-12);
  EXPECT_NEAR(found.clus, expected.clus, 1e-12);
  EXPECT_NEAR(found.macro, expected.macro, 1e-12);
  EXPECT_NEAR(found.weighted, expected.weighted, 1e-12);
}

TEST(NodeCurves, AreasMatchTheDefinitionsForAnyPartOfTheSamples) {
  Context ctx({.threads = 2});
  int measured = 0;
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE("case " + std::to_string(k));
    const Scored scored = random_scored(k);
    const Taxonomy& taxonomy = scored.c.taxonomy;
    const std::string excluded = k % 3 == 0 && taxonomy.size() > 2 ? taxonomy.name(1) + "," + taxonomy.name(2) : "";
    const std::vector<NodeId> left_out = nodes_left_out(taxonomy, excluded);
    const NodeCurves curves(scored.c.data, scored.samples, scored.scores, left_out, ctx);
    const std::set<NodeId> out(left_out.begin(), left_out.end());
    const std::vector<std::uint32_t> once(scored.samples.size(), 1);
    const Expected all = by_definition(scored, out, once);
    EXPECT_EQ(curves.has_positives(), all.has_positives);
    if (!all.has_positives) continue;
    ++measured;
    expect_near(curves.areas({}), all.areas);
    RandomStream random(3, {kTestStream, static_cast<std::uint64_t>(k)});
    std::vector<std::uint32_t> weights;
    for (std::size_t s = 0; s < scored.samples.size(); ++s)
      weights.push_back(static_cast<std::uint32_t>(random.below(4)));
    expect_near(curves.areas(weights), by_definition(scored, out, weights).areas);
  }
  EXPECT_GT(measured, 300);
}

TEST(NodeCurves, TheWholeCurveHasTheArea) {
  Context ctx({.threads = 2});
  for (int k = 0; k < 50; ++k) {
    const Scored scored = random_scored(k);
    const NodeCurves curves(scored.c.data, scored.samples, scored.scores, nodes_left_out(scored.c.taxonomy, ""), ctx);
    if (!curves.has_positives()) continue;
    const std::vector<CurvePoint> curve = curves.curve(1000000);
    double area = 0;
    double recall = 0;
    for (const CurvePoint& point : curve) {
      area += (point.recall - recall) * point.precision;
      recall = point.recall;
    }
    EXPECT_NEAR(area, curves.areas({}).pooled, 1e-12);
    EXPECT_EQ(recall, 1);
    const std::vector<CurvePoint> few = curves.curve(10);
    EXPECT_LE(few.size(), 10);
    EXPECT_EQ(few.back().recall, 1);
  }
}

TEST(NodeCurves, FrequenciesAreThoseOfClosedLabels) {
  const Scored scored = random_scored(1);
  const std::vector<double> frequencies = node_frequencies(scored.c.data);
  for (NodeId v = 0; v < scored.c.taxonomy.size(); ++v) {
    double count = 0;
    for (const Index s : scored.samples) {
      const auto labels = scored.c.data.labels(s);
      count += std::ranges::any_of(labels,
                                   [&](NodeId label) { return label == v || scored.c.taxonomy.is_ancestor(v, label); })
                   ? 1
                   : 0;
    }
    EXPECT_DOUBLE_EQ(frequencies[static_cast<std::size_t>(v)], count / 15);
  }
}

TEST(NodeCurves, UnknownNamesAreRefused) {
  EXPECT_THROW(nodes_left_out(random_scored(1).c.taxonomy, "nobody"), Error);
}

}  // namespace
}  // namespace clade

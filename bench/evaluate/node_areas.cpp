// How long do the areas under precision-recall curves take, compared with sorting all scores?
//
//   node_areas [samples] [nodes]
//
// 1,000 samples at 4,000 nodes of a random DAG, two labels each; scores are random and consistent. All four areas
// against one std::sort of all pairs with a sum over them, which gives the pooled area alone. Prints the median of
// several runs on two threads, and the ratio.
#include "evaluate/node_areas.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../ratio.h"
#include "core/random.h"

namespace {

using clade::Index;
using clade::NodeId;

constexpr int kRuns = 7;

template <class Work>
double median_seconds(Work&& work) {
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRuns / 2];
}

clade::Taxonomy make_taxonomy(NodeId nodes) {
  clade::RandomStream random(1);
  clade::TaxonomyBuilder builder;
  builder.merge_repeated_edges(true);
  for (NodeId k = 0; k < nodes; ++k) builder.node("n" + std::to_string(k));
  for (NodeId k = 1; k < nodes; ++k) {
    const NodeId first = (k - 1) / 4;
    builder.edge(first, k);
    if (random.uniform() < 0.3) builder.edge(std::max<NodeId>(0, first - static_cast<NodeId>(random.below(20))), k);
  }
  return builder.build();
}

clade::Dataset make_data(const clade::Taxonomy& taxonomy, Index samples) {
  clade::RandomStream random(2);
  const auto leaves = taxonomy.leaves();
  clade::Dataset::Parts parts;
  clade::DenseMatrix<double> matrix;
  matrix.rows = samples;
  parts.features = std::move(matrix);
  for (Index s = 0; s < samples; ++s) {
    std::vector<NodeId> labels;
    for (int k = 0; k < 2; ++k) labels.push_back(leaves[static_cast<std::size_t>(random.below(std::ssize(leaves)))]);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    parts.labels.nodes.insert(parts.labels.nodes.end(), labels.begin(), labels.end());
    parts.labels.offsets.push_back(std::ssize(parts.labels.nodes));
  }
  parts.taxonomy = taxonomy;
  return clade::Dataset(std::move(parts));
}

clade::NodeScores make_scores(const clade::Taxonomy& taxonomy, Index samples) {
  clade::RandomStream random(3);
  clade::NodeScores scores{.nodes = taxonomy.size(), .values = {}};
  for (Index s = 0; s < samples; ++s) {
    std::vector<double> row;
    for (NodeId v = 0; v < taxonomy.size(); ++v) row.push_back(std::pow(random.uniform(), 20));
    clade::make_consistent(taxonomy, row);
    scores.values.insert(scores.values.end(), row.begin(), row.end());
  }
  return scores;
}

double area_by_sorting(const clade::Dataset& data, const clade::NodeScores& scores) {
  std::vector<std::pair<double, bool>> pairs;
  std::vector<char> is_true(static_cast<std::size_t>(scores.nodes));
  double positives = 0;
  for (Index s = 0; s < scores.samples(); ++s) {
    std::fill(is_true.begin(), is_true.end(), 0);
    for (const NodeId label : data.labels(s)) {
      is_true[static_cast<std::size_t>(label)] = 1;
      for (const NodeId above : data.taxonomy().ancestors(label)) is_true[static_cast<std::size_t>(above)] = 1;
    }
    for (std::size_t v = 1; v < is_true.size(); ++v) {
      pairs.emplace_back(scores.of(s)[v], is_true[v] != 0);
      positives += is_true[v];
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  double area = 0;
  double right = 0;
  for (std::size_t k = 0; k < pairs.size();) {
    const std::size_t begin = k;
    const double before = right;
    for (; k < pairs.size() && pairs[k].first == pairs[begin].first; ++k) right += pairs[k].second ? 1 : 0;
    area += (right - before) / positives * right / static_cast<double>(k);
  }
  return area;
}

}  // namespace

int main(int argc, char** argv) {
  const Index samples = argc > 1 ? std::atoll(argv[1]) : 1000;
  const auto nodes = static_cast<NodeId>(argc > 2 ? std::atoll(argv[2]) : 4000);
  const clade::Taxonomy taxonomy = make_taxonomy(nodes);
  const clade::Dataset data = make_data(taxonomy, samples);
  const clade::NodeScores scores = make_scores(taxonomy, samples);
  std::vector<Index> all;
  for (Index s = 0; s < samples; ++s) all.push_back(s);
  clade::Context ctx({.threads = 2});
  double area = 0;
  double sorted = 0;
  const double ours = median_seconds(
      [&] { area = clade::NodeCurves(data, all, scores, clade::nodes_left_out(taxonomy, ""), ctx).areas({}).pooled; });
  const double plain = median_seconds([&] { sorted = area_by_sorting(data, scores); });
  bench::record({.question = "evaluate",
                 .contender = "four areas",
                 .baseline = "std::sort of all pairs",
                 .data = fmt::format("{} samples x {} nodes", samples, nodes),
                 .threads = 2,
                 .rounds = {ours / plain}});
  fmt::print(
      "{} samples x {} nodes: four areas {:.3f} s, one area by sorting {:.3f} s, ratio {:.2f}, areas {:.6f} {:.6f}\n",
      samples, nodes, ours, plain, ours / plain, area, sorted);
  return std::abs(area - sorted) < 1e-9 ? 0 : 1;
}

// How long does evaluating predictions take, compared with reading them?
//
//   evaluate_predictions [samples] [nodes]
//
// A million single-label predictions over a tree and over a DAG of 10,000 nodes, once random (the worst case: nearly
// every sample differs from all others) and once 80 % right. Prints the median of several runs on two threads, and the
// ratio.
#include <clade/evaluate.h>
#include <clade/predictions.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
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

// Eight children per node. In a DAG, a node gets another parent near the first with probability 0.3, and so on.
clade::Taxonomy make_taxonomy(NodeId nodes, bool dag) {
  clade::RandomStream random(1);
  clade::TaxonomyBuilder builder;
  builder.merge_repeated_edges(true);
  for (NodeId k = 0; k < nodes; ++k) builder.node("class " + std::to_string(k));
  for (NodeId k = 1; k < nodes; ++k) {
    const NodeId first = (k - 1) / 8;
    builder.edge(first, k);
    while (dag && random.uniform() < 0.3) {
      builder.edge(std::max<NodeId>(0, first - static_cast<NodeId>(random.below(20))), k);
    }
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
    parts.labels.nodes.push_back(leaves[static_cast<std::size_t>(random.below(static_cast<Index>(leaves.size())))]);
    parts.labels.offsets.push_back(s + 1);
  }
  parts.taxonomy = taxonomy;
  return clade::Dataset(std::move(parts));
}

clade::Predictions make_predictions(const clade::Dataset& data, double right) {
  clade::RandomStream random(3);
  const auto leaves = data.taxonomy().leaves();
  clade::Predictions predictions;
  for (Index s = 0; s < data.samples(); ++s) {
    const NodeId wrong = leaves[static_cast<std::size_t>(random.below(static_cast<Index>(leaves.size())))];
    predictions.labels.push_back(random.uniform() < right ? data.labels(s)[0] : wrong);
    predictions.scores.push_back(static_cast<double>(random.below(10000)) / 10000);
    predictions.offsets.push_back(s + 1);
  }
  return predictions;
}

void measure(Index samples, NodeId nodes, bool dag, double right, const std::string& file) {
  clade::Context ctx({.threads = 2});
  const clade::Taxonomy taxonomy = make_taxonomy(nodes, dag);
  const clade::Dataset data = make_data(taxonomy, samples);
  clade::write_predictions(make_predictions(data, right), data, file, true, ctx);
  clade::Predictions predictions;
  const double reading = median_seconds([&] { predictions = clade::read_predictions(file, data, ctx); });
  const double evaluating = median_seconds([&] { clade::evaluate(data, predictions, {}, {}, ctx); });
  bench::record({.question = "evaluate",
                 .contender = "evaluate",
                 .baseline = "reading predictions",
                 .data = fmt::format("{} predictions, {} {} nodes, {:.0f} % right", samples, dag ? "DAG" : "tree",
                                     nodes, 100 * right),
                 .threads = 2,
                 .rounds = {evaluating / reading}});
  fmt::print("{:4} {:3.0f} % right   read {:6.1f} ms   evaluate {:6.1f} ms   evaluate / read {:.2f}\n",
             dag ? "DAG" : "tree", 100 * right, 1000 * reading, 1000 * evaluating, evaluating / reading);
}

}  // namespace

int main(int argc, char** argv) {
  const Index samples = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1'000'000;
  const auto nodes = static_cast<NodeId>(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 10'000);
  const std::string file =
      std::filesystem::temp_directory_path() / ("clade-bench-" + std::to_string(getpid()) + ".csv");
  for (const bool dag : {false, true}) {
    for (const double right : {0.8, 0.0}) measure(samples, nodes, dag, right, file);
  }
  std::filesystem::remove(file);
}

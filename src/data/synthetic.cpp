#include <clade/synthetic.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kSamplesPerChunk = 16;
constexpr Index kMostTries = 100'000;  // per sample; beyond that the parameters cannot give such data
constexpr Index kMostClasses = 10'000'000;
constexpr std::uint64_t kWeights = 0;  // streams {kSynthStream, kWeights} and {kSynthStream, kSamples, s}
constexpr std::uint64_t kSamples = 1;

Taxonomy perfect_tree(int depth, int fanout) {
  TaxonomyBuilder builder;
  std::vector<NodeId> level{builder.node("root")};
  for (int d = 1; d <= depth; ++d) {
    std::vector<NodeId> next;
    for (const NodeId parent : level) {
      for (int k = 1; k <= fanout; ++k) {
        const std::string name = d == 1 ? fmt::format("{}", k) : fmt::format("{}.{}", builder.name(parent), k);
        next.push_back(builder.node(name));
        builder.edge(parent, next.back());
      }
    }
    level = std::move(next);
  }
  return builder.build();
}

// One row of weights per leaf, in the order of leaves().
DenseMatrix<double> class_weights(const Taxonomy& tree, const SyntheticOptions& options, std::uint64_t seed) {
  const Index p = options.features;
  RandomStream random(seed, {kSynthStream, kWeights});
  std::vector<std::vector<double>> weight(static_cast<std::size_t>(tree.size()),
                                          std::vector<double>(static_cast<std::size_t>(p), 0.0));
  for (NodeId node = 1; node < tree.size(); ++node) {
    const double deviation = std::sqrt(std::pow(options.decay, tree.depth(node) - 1));
    const auto& above = weight[static_cast<std::size_t>(tree.parents(node)[0])];
    auto& own = weight[static_cast<std::size_t>(node)];
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = above[j] + deviation * random.normal();
  }
  const auto leaves = tree.leaves();
  DenseMatrix<double> rows{std::ssize(leaves), p, Buffer<double>(std::ssize(leaves) * p)};
  for (Index k = 0; k < rows.rows; ++k) {
    const auto& from = weight[static_cast<std::size_t>(leaves[static_cast<std::size_t>(k)])];
    std::ranges::copy(from, rows.values.data() + k * p);
  }
  return rows;
}

// Draws until the labels are few enough; returns them (as positions among the leaves) with x in `row`.
std::vector<Index> draw_sample(const DenseMatrix<double>& weights, bool single_label, std::span<double> row,
                               RandomStream& random) {
  const auto limit = std::sqrt(static_cast<double>(weights.rows));
  for (Index attempt = 0; attempt < kMostTries; ++attempt) {
    for (double& x : row) x = random.normal();
    std::vector<Index> labels;
    for (Index k = 0; k < weights.rows && static_cast<double>(labels.size()) < limit; ++k) {
      double score = 0;
      const auto w = weights.row(k);
      for (std::size_t j = 0; j < row.size(); ++j) score += w[j] * row[j];
      if (score > 0) labels.push_back(k);
    }
    const bool few = static_cast<double>(labels.size()) < limit;
    if (few && (single_label ? labels.size() == 1 : !labels.empty())) return labels;
  }
  throw usage_error(fmt::format("no sample with few enough labels in {} draws", kMostTries),
                    "expected fewer classes (`depth`, `fanout`) or a larger `decay`");
}

void check(const SyntheticOptions& options) {
  const double classes = std::pow(options.fanout, options.depth);
  if (classes < 2 || classes > static_cast<double>(kMostClasses)) {
    throw usage_error(fmt::format("a tree of {} classes", classes), fmt::format("expected 2 to {}", kMostClasses));
  }
  const double largest = 1e9;
  if (static_cast<double>(options.samples) * static_cast<double>(options.features) > largest) {
    throw usage_error(fmt::format("{} x {} values", options.samples, options.features),
                      fmt::format("expected at most {:.0e}", largest));
  }
}

}  // namespace

void describe(ParameterTable& v, SyntheticOptions& o) {
  v("depth", o.depth, between(1, 30), "levels of classes below the root");
  v("fanout", o.fanout, between(1, 100000), "children of every inner node");
  v("features", o.features, at_least(1), "number of features");
  v("samples", o.samples, at_least(1), "number of samples");
  v("decay", o.decay, between(0, 1), "variance of a level's weights relative to the level above");
  v("single-label", o.single_label, "keep only samples with exactly one label");
}

Dataset synthetic_data(const SyntheticOptions& options, Context& ctx) {
  check(options);
  const Taxonomy tree = perfect_tree(options.depth, options.fanout);
  const DenseMatrix<double> weights = class_weights(tree, options, ctx.seed());
  const Index p = options.features;
  DenseMatrix<double> features{options.samples, p, Buffer<double>(options.samples * p)};
  std::vector<std::vector<Index>> labels(static_cast<std::size_t>(options.samples));

  Progress progress(ctx, "drawing samples", options.samples);
  parallel_for(ctx, options.samples, kSamplesPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      RandomStream random(ctx.seed(), {kSynthStream, kSamples, static_cast<std::uint64_t>(s)});
      const std::span row(features.values.data() + s * p, static_cast<std::size_t>(p));
      labels[static_cast<std::size_t>(s)] = draw_sample(weights, options.single_label, row, random);
      ctx.check_cancelled();
      progress.advance();
    }
  });

  LabelSets sets;
  for (const auto& of_sample : labels) {
    for (const Index k : of_sample) sets.nodes.push_back(tree.leaves()[static_cast<std::size_t>(k)]);
    sets.offsets.push_back(static_cast<Index>(sets.nodes.size()));
  }
  return Dataset({.features = std::move(features),
                  .labels = std::move(sets),
                  .taxonomy = tree,
                  .feature_names = {},
                  .sample_names = {},
                  .vectorizer = nullptr});
}

}  // namespace clade

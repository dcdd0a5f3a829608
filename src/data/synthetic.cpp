#include <clade/synthetic.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kSamplesPerChunk = 16;
constexpr Index kMostTries = 100'000;  // per sample; if these fail, the parameters cannot give such data
constexpr double kRareShare = 1e-4;    // of draws with one label; below it, drawing until there is one takes too long
constexpr Index kClassTile = 512;  // classes scored together, whose weights stay in the cache for a chunk of samples
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

void draw(std::span<double> row, RandomStream& random) {
  for (double& x : row) x = random.normal();
}

// Draws until there are few enough labels. Returns them (as positions among the leaves), or none if that fails; `row`
// holds the last x drawn.
std::vector<Index> draw_sample(const DenseMatrix<double>& weights, bool single_label, std::span<double> row,
                               RandomStream& random) {
  const auto limit = std::sqrt(static_cast<double>(weights.rows));
  for (Index attempt = 0; attempt < kMostTries; ++attempt) {
    draw(row, random);
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
  return {};
}

// The weights at length 1, one row per feature, so that the scores of many classes are summed side by side.
class Directions {
 public:
  explicit Directions(const DenseMatrix<double>& weights)
      : classes_(weights.rows), values_(weights.rows * weights.columns) {
    for (Index k = 0; k < classes_; ++k) {
      const auto w = weights.row(k);
      double square = 0;
      for (const double value : w) square += value * value;
      const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
      for (Index j = 0; j < weights.columns; ++j) values_[j * classes_ + k] = w[static_cast<std::size_t>(j)] * scale;
    }
  }

  // For each row, the class with the largest cosine; the first of several. `rows` are rows of `features` values.
  std::vector<Index> nearest(std::span<const double> rows, Index features) const {
    const Index count = std::ssize(rows) / features;
    std::vector<Index> best(static_cast<std::size_t>(count), 0);
    std::vector<double> largest(static_cast<std::size_t>(count), -std::numeric_limits<double>::infinity());
    std::array<double, kClassTile> score{};
    for (Index first = 0; first < classes_; first += kClassTile) {
      const Index tile = std::min(kClassTile, classes_ - first);
      for (Index r = 0; r < count; ++r) {
        score.fill(0);
        for (Index j = 0; j < features; ++j) {
          const double x = rows[static_cast<std::size_t>(r * features + j)];
          const double* w = values_.data() + j * classes_ + first;
          for (Index k = 0; k < tile; ++k) score[static_cast<std::size_t>(k)] += x * w[k];
        }
        const auto top = std::max_element(score.begin(), score.begin() + tile);
        if (*top <= largest[static_cast<std::size_t>(r)]) continue;
        largest[static_cast<std::size_t>(r)] = *top;
        best[static_cast<std::size_t>(r)] = first + (top - score.begin());
      }
    }
    return best;
  }

 private:
  Index classes_;
  Buffer<double> values_;
};

using Labels = std::vector<std::vector<Index>>;

// Draws samples into `features` until each has acceptable labels.
Labels draw_until_kept(const DenseMatrix<double>& weights, const SyntheticOptions& options,
                       DenseMatrix<double>& features, Context& ctx) {
  Labels labels(static_cast<std::size_t>(options.samples));
  const Index p = options.features;
  Progress progress(ctx, "drawing samples", options.samples);
  parallel_for(ctx, options.samples, kSamplesPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      RandomStream random(ctx.seed(), {kSynthStream, kSamples, static_cast<std::uint64_t>(s)});
      const std::span row(features.values.data() + s * p, static_cast<std::size_t>(p));
      auto& own = labels[static_cast<std::size_t>(s)];
      own = draw_sample(weights, options.single_label, row, random);
      if (own.empty()) {
        if (!options.single_label) {
          throw usage_error(fmt::format("no sample with few enough labels in {} draws", kMostTries),
                            "expected fewer classes (`depth`, `fanout`) or a larger `decay`");
        }
        own = Directions(weights).nearest(row, p);
      }
      ctx.check_cancelled();
      progress.advance();
    }
  });
  return labels;
}

// Keeps every draw, with its nearest class.
Labels draw_with_nearest_class(const DenseMatrix<double>& weights, const SyntheticOptions& options,
                               DenseMatrix<double>& features, Context& ctx) {
  Labels labels(static_cast<std::size_t>(options.samples));
  const Index p = options.features;
  const Directions directions(weights);
  Progress progress(ctx, "drawing samples", options.samples);
  parallel_for(ctx, options.samples, kSamplesPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      RandomStream random(ctx.seed(), {kSynthStream, kSamples, static_cast<std::uint64_t>(s)});
      draw({features.values.data() + s * p, static_cast<std::size_t>(p)}, random);
    }
    const auto best =
        directions.nearest({features.values.data() + begin * p, static_cast<std::size_t>((end - begin) * p)}, p);
    for (Index s = begin; s < end; ++s)
      labels[static_cast<std::size_t>(s)] = {best[static_cast<std::size_t>(s - begin)]};
    progress.advance(end - begin);
  });
  return labels;
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

// Functions of a sum of normal steps, at the midpoints of cells that cover [-width, width].
class Grid {
 public:
  explicit Grid(double width) : step_(width / kHalf) {}

  std::vector<double> sample(double below, double above) const {
    std::vector<double> values(2 * kHalf, above);
    std::fill_n(values.begin(), kHalf, below);
    return values;
  }

  // s -> E f(s + deviation Z). Beyond the grid, f keeps its values at the ends.
  std::vector<double> expected(const std::vector<double>& f, double deviation) const {
    const Index reach = std::min<Index>(2 * kHalf, 1 + static_cast<Index>(kReach * deviation / step_));
    std::vector<double> kernel;
    for (Index j = -reach; j <= reach; ++j) kernel.push_back(density(static_cast<double>(j), deviation));
    std::vector<double> result(f.size());
    for (Index i = 0; i < std::ssize(f); ++i) {
      double sum = 0;
      double mass = 0;
      for (Index j = -reach; j <= reach; ++j) {
        const double weight = kernel[static_cast<std::size_t>(j + reach)];
        sum += weight * f[static_cast<std::size_t>(std::clamp<Index>(i + j, 0, std::ssize(f) - 1))];
        mass += weight;
      }
      result[static_cast<std::size_t>(i)] = sum / mass;
    }
    return result;
  }

  // E f(deviation Z).
  double expected_at_0(const std::vector<double>& f, double deviation) const {
    double sum = 0;
    double mass = 0;
    for (Index i = 0; i < std::ssize(f); ++i) {
      const double weight = density(static_cast<double>(i - kHalf) + 0.5, deviation);
      sum += weight * f[static_cast<std::size_t>(i)];
      mass += weight;
    }
    return sum / mass;
  }

 private:
  static constexpr Index kHalf = 300;
  static constexpr double kReach = 6;  // standard deviations; beyond them the weight is negligible

  double density(double steps, double deviation) const {
    if (deviation == 0) return steps == 0 ? 1 : 0;
    const double z = steps * step_ / deviation;
    return std::exp(-z * z / 2);
  }

  double step_;
};

}  // namespace

double single_label_share(const SyntheticOptions& options) {
  const auto deviation = [&](int depth) { return std::sqrt(std::pow(options.decay, depth - 1)); };
  double variance = 0;
  for (int d = 1; d <= options.depth; ++d) variance += std::pow(options.decay, d - 1);
  const Grid grid(6 * std::sqrt(variance));
  auto none = grid.sample(1, 0);
  auto one = grid.sample(0, 1);
  const double k = options.fanout;
  for (int d = options.depth; d > 1; --d) {
    none = grid.expected(none, deviation(d));
    one = grid.expected(one, deviation(d));
    for (std::size_t i = 0; i < none.size(); ++i) {
      one[i] *= k * std::pow(none[i], k - 1);
      none[i] = std::pow(none[i], k);
    }
  }
  return k * std::pow(grid.expected_at_0(none, 1), k - 1) * grid.expected_at_0(one, 1);
}

void describe(ParameterTable& v, SyntheticOptions& o) {
  v("depth", o.depth, between(1, 30), "levels of classes below the root");
  v("fanout", o.fanout, between(1, 100000), "children of every inner node");
  v("features", o.features, at_least(1), "number of features");
  v("samples", o.samples, at_least(1), "number of samples");
  v("decay", o.decay, between(0, 1), "variance of a level's weights relative to the level above");
  v("single-label", o.single_label, "one label per sample");
}

Dataset synthetic_data(const SyntheticOptions& options, Context& ctx) {
  check(options);
  const Taxonomy tree = perfect_tree(options.depth, options.fanout);
  const DenseMatrix<double> weights = class_weights(tree, options, ctx.seed());
  const Index p = options.features;
  DenseMatrix<double> features{options.samples, p, Buffer<double>(options.samples * p)};
  const bool keeps_all = options.single_label && single_label_share(options) < kRareShare;
  const Labels labels = keeps_all ? draw_with_nearest_class(weights, options, features, ctx)
                                  : draw_until_kept(weights, options, features, ctx);

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
                  .row_numbers = {},
                  .vectorizer = nullptr});
}

}  // namespace clade

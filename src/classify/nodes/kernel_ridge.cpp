// Kernel ridge regression of labels closed upward, for all nodes together:
//
//   F = K (K + penalty I)^-1 (Y - mean) + mean
//
// with Y[i, v] = 1 if sample i belongs to node v, and K_ij = exp(-width distance / median distance) (laplacian) or
// exp(-width distance^2 / median distance^2) (gaussian) on standardised features. With G = (K + penalty I)^-1, the
// coefficients are G (Y - mean), and the scores of a sample by the others alone, which choose width and penalty, are
// exactly Y_i - (G (Y - mean))_i / G_ii: one inverse gives both.

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "classify/classifier.h"
#include "classify/nodes/closed_labels.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/kernel/kernel_rows.h"
#include "math/pooled_ranking.h"
#include "math/symmetric_inverse.h"

namespace clade {
namespace {

enum class RidgeKernel { kLaplacian, kGaussian };
constexpr Choice<RidgeKernel> kRidgeKernelWords[] = {{RidgeKernel::kLaplacian, "laplacian"},
                                                     {RidgeKernel::kGaussian, "gaussian"}};

struct RidgeOptions {
  RidgeKernel kernel = RidgeKernel::kLaplacian;
  double width = std::numeric_limits<double>::quiet_NaN();
  double penalty = std::numeric_limits<double>::quiet_NaN();
  Scale scale = Scale::kAuto;
  Index search_samples = 2500;
  std::string memory;
};

template <class V>
void describe(V& v, RidgeOptions& o) {
  v("kernel", o.kernel, kRidgeKernelWords,
    "similarity of two samples; laplacian: exp(-width d / median d); gaussian: exp(-width d^2 / median d^2)");
  v("width", o.width, positive(), "how fast similarity falls with distance; auto: chosen by leave-one-out");
  v("penalty", o.penalty, positive(), "added to the diagonal of the kernel; auto: chosen by leave-one-out");
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse");
  v("search-samples", o.search_samples, between(100, 1 << 20),
    "random samples on which width and penalty are chosen, if there are more");
  v("memory", o.memory, "largest amount of memory, such as 4G; empty: four fifths of the machine's");
}

// Squared distances of some samples, lower triangle and diagonal.
Matrix squared_distances(const KernelSamples& samples, Context& ctx) {
  const Index n = samples.size();
  Matrix squares = Matrix::Zero(n, n);
  Index nonzeros = 0;
  for (Index i = 0; i < n; ++i) nonzeros += std::ssize(samples.values_of(i));
  constexpr Index kFullShare = 4;
  if (nonzeros >= n * samples.width() / kFullShare) {
    Matrix dense = Matrix::Zero(samples.width(), n);
    for (Index i = 0; i < n; ++i) {
      const auto columns = samples.columns_of(i);
      const auto values = samples.values_of(i);
      for (std::size_t k = 0; k < columns.size(); ++k) dense(columns[k], i) = values[k];
    }
    add_inner_product(dense, squares, ctx);
  } else {
    constexpr Index kKeptBytes = Index{1} << 24;
    KernelRows products(samples, {.kind = KernelKind::kLinear}, kKeptBytes, ctx);
    for (Index j = 0; j < n; ++j) squares.col(j) = Eigen::Map<const Vector>(products.row(j), n);
  }
  const Vector own = squares.diagonal();
  constexpr Index kColumnsPerTask = 16;
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index i = j; i < n; ++i) squares(i, j) = std::max(0.0, own(i) + own(j) - 2 * squares(i, j));
      squares(j, j) = 0;
    }
  });
  return squares;
}

// The median of the squared distances between different samples; 1 if it is 0.
double median_square(const Matrix& squares) {
  constexpr Index kEnough = 1'000'000;
  const Index n = squares.rows();
  const Index step = std::max<Index>(1, n * (n - 1) / 2 / kEnough);
  std::vector<double> values;
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i, ++at) {
      if (at % step == 0) values.push_back(squares(i, j));
    }
  }
  if (values.empty()) return 1;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle > 0 ? *middle : 1;
}

// Samples on which ridge regressions are solved.
struct RidgeProblem {
  Matrix squares;
  double median = 1;  // of the squared distances
  const PositivePairs* members = nullptr;
  std::span<const double> mean;  // per column
  std::vector<double> weight;    // of samples; empty: 1 each
};

struct RidgeFit {
  Matrix coefficient;  // samples x columns
  Matrix held_out;     // scores of every sample by the others
};

double similarity(RidgeKernel kernel, double width, double relative_square) {
  return std::exp(-width * (kernel == RidgeKernel::kLaplacian ? std::sqrt(relative_square) : relative_square));
}

// If `keep_squares` is false, the squares are lost, and no other matrix of that size is needed beside the inverse.
RidgeFit solve(RidgeProblem& problem, RidgeKernel kernel, double width, double penalty, bool keep_squares,
               Context& ctx) {
  const Index n = problem.squares.rows();
  const auto columns = std::ssize(problem.mean);
  Matrix inverse;
  if (keep_squares) {
    inverse = problem.squares;
  } else {
    inverse.swap(problem.squares);
  }
  constexpr Index kColumnsPerTask = 16;
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index i = j; i < n; ++i) inverse(i, j) = similarity(kernel, width, inverse(i, j) / problem.median);
      const double mass = problem.weight.empty() ? 1 : problem.weight[static_cast<std::size_t>(j)];
      inverse(j, j) += penalty / mass;
    }
  });
  if (!invert_symmetric(inverse, ctx)) {
    throw usage_error("the kernel is not positive definite to the accuracy of a double", "expected a larger `penalty`");
  }
  // G Y - (G 1) mean'. The ones of Y are few.
  std::vector<std::vector<Index>> samples_of(static_cast<std::size_t>(columns));
  for (Index s = 0; s < n; ++s) {
    for (const std::int32_t c : problem.members->of(s)) samples_of[static_cast<std::size_t>(c)].push_back(s);
  }
  const Vector sums = inverse.rowwise().sum();
  RidgeFit fit{Matrix(n, columns), Matrix(n, columns)};
  parallel_for(ctx, columns, kColumnsPerTask, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      auto coefficient = fit.coefficient.col(c);
      coefficient = -problem.mean[static_cast<std::size_t>(c)] * sums;
      for (const Index s : samples_of[static_cast<std::size_t>(c)]) coefficient += inverse.col(s);
      auto held_out = fit.held_out.col(c);
      held_out = -coefficient.cwiseQuotient(inverse.diagonal());
      for (const Index s : samples_of[static_cast<std::size_t>(c)]) held_out(s) += 1;
    }
  });
  return fit;
}

struct RidgeChoice {
  double width = 1;
  double penalty = 1;
  double area = -1;
};

// The width and penalty with the largest average precision of leave-one-out scores. For each width, penalties are
// tried upward and downward from the middle until they no longer gain.
RidgeChoice choose(RidgeProblem& problem, const RidgeOptions& options, Context& ctx) {
  static constexpr double kPenalties[] = {0.03, 0.08, 0.2, 0.5, 1.2, 3, 8};
  static constexpr int kMiddle = 3;
  std::vector<double> widths{0.5, 1};
  if (!std::isnan(options.width)) widths = {options.width};
  Progress progress(ctx, "choosing width and penalty", static_cast<Index>(widths.size() * std::size(kPenalties)));
  RidgeChoice best;
  for (const double width : widths) {
    const auto area_at = [&](double penalty) {
      const RidgeFit fit = solve(problem, options.kernel, width, penalty, true, ctx);
      const double area = average_precision(rank_pairs(fit.held_out, *problem.members, ctx));
      if (area > best.area) best = {width, penalty, area};
      progress.advance();
      return area;
    };
    if (!std::isnan(options.penalty)) {
      area_at(options.penalty);
      continue;
    }
    const double middle = area_at(kPenalties[kMiddle]);
    double last = middle;
    bool has_risen = false;
    for (int k = kMiddle + 1; k < static_cast<int>(std::size(kPenalties)); ++k) {
      const double area = area_at(kPenalties[k]);
      if (area <= last) break;
      last = area;
      has_risen = true;
    }
    if (has_risen) continue;
    last = middle;
    for (int k = kMiddle - 1; k >= 0; --k) {
      const double area = area_at(kPenalties[k]);
      if (area <= last) break;
      last = area;
    }
  }
  return best;
}

class KernelRidge : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  void check(ChosenFeatures chosen) const override {
    if (chosen == ChosenFeatures::kPerNode) {
      throw usage_error("kernel-ridge compares samples by the same features at all nodes",
                        "expected a ranking of all features together");
    }
  }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    const Dataset& data = input.data;
    const ClosedLabels labels = closed_labels(data, input.weight);
    check_memory(data.samples(), labels.columns());
    const Scale scale = options_.scale == Scale::kAuto && is_sparse(data.matrix()) ? Scale::kUnit : options_.scale;
    const PreparedScale prepared = prepared_scale(data, scale, ctx);
    std::vector<FeatureIndex> features;
    if (!input.features.empty()) features = input.features[0];

    RidgeOptions chosen = options_;
    if (std::isnan(chosen.width) || std::isnan(chosen.penalty)) {
      const RidgeChoice best = search(input, labels, prepared, features, ctx);
      chosen.width = best.width;
      chosen.penalty = best.penalty;
    }
    std::vector<Index> all(static_cast<std::size_t>(data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    KernelOptions kernel{.kind = chosen.kernel == RidgeKernel::kLaplacian ? KernelKind::kLaplacian : KernelKind::kRbf,
                         .gamma = 1};
    KernelSamples samples(kernel_arrays(data, all, features, prepared.features, prepared.has_unit_rows), kernel, ctx);
    RidgeProblem problem{squared_distances(samples, ctx), 1, &labels.members, labels.frequency, input.weight};
    problem.median = median_square(problem.squares);
    RidgeFit fit = solve(problem, chosen.kernel, chosen.width, chosen.penalty, false, ctx);
    kernel.gamma = chosen.width / (kernel.kind == KernelKind::kRbf ? problem.median : std::sqrt(problem.median));

    auto nodes = std::make_shared<NodeModel>();
    nodes->nodes = labels.nodes;
    nodes->mean = labels.frequency;
    ModelBody model;
    model.kind = ModelKind::kNodes;
    model.has_probabilities = true;
    model.has_unit_rows = prepared.has_unit_rows;
    learn_decisions(*nodes, model.node_threshold, data, labels, std::move(fit.held_out), ctx);
    nodes->ridge.emplace(
        RidgeExpansion{std::move(features), prepared.features, kernel, std::move(samples), std::move(fit.coefficient)});
    model.node_model = std::move(nodes);
    model.summary.emplace_back("width", fmt::format("{}", chosen.width));
    model.summary.emplace_back("penalty", fmt::format("{}", chosen.penalty));
    return model;
  }

 private:
  // Two matrices of samples x samples, two of samples x nodes.
  void check_memory(Index samples, Index columns) const {
    const auto n = static_cast<double>(samples);
    const double needed = 8 * (2 * n * n + 3 * n * static_cast<double>(columns));
    const double limit = options_.memory.empty() ? default_memory_limit() : parse_bytes(options_.memory);
    if (needed <= limit) return;
    throw usage_error(
        fmt::format("kernel-ridge needs {} for {} samples and {} nodes", bytes_text(needed), samples, columns),
        fmt::format("expected at most {}, the limit of memory", bytes_text(limit)));
  }

  RidgeChoice search(const TrainingInput& input, const ClosedLabels& labels, const PreparedScale& prepared,
                     std::span<const FeatureIndex> features, Context& ctx) const {
    const Dataset& data = input.data;
    std::vector<Index> some(static_cast<std::size_t>(data.samples()));
    std::iota(some.begin(), some.end(), Index{0});
    if (data.samples() > options_.search_samples) {
      RandomStream random(ctx.seed(), {kSubsampleStream, kSolverStream});
      random.shuffle(std::span(some));
      some.resize(static_cast<std::size_t>(options_.search_samples));
      std::sort(some.begin(), some.end());
    }
    PositivePairs members;
    std::vector<double> weight;
    for (const Index s : some) {
      const auto own = labels.members.of(s);
      members.columns.insert(members.columns.end(), own.begin(), own.end());
      members.offsets.push_back(std::ssize(members.columns));
      if (!input.weight.empty()) weight.push_back(input.weight[static_cast<std::size_t>(s)]);
    }
    const KernelOptions kernel{.kind = KernelKind::kLinear, .gamma = 1};
    const KernelSamples samples(kernel_arrays(data, some, features, prepared.features, prepared.has_unit_rows), kernel,
                                ctx);
    RidgeProblem problem{squared_distances(samples, ctx), 1, &members, labels.frequency, std::move(weight)};
    problem.median = median_square(problem.squares);
    return choose(problem, options_, ctx);
  }

  RidgeOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_kernel_ridge() {
  return std::make_unique<KernelRidge>();
}

}  // namespace clade

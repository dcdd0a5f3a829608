// Kernel ridge regression of labels closed upward, for all nodes together:
//
//   F = K (K + penalty I)^-1 (Y - mean) + mean
//
// with Y[i, v] = 1 if sample i belongs to node v, and K_ij = exp(-width distance / median distance) (exponential) or
// exp(-width distance^2 / median distance^2) (rbf) on standardised features. With G = (K + penalty I)^-1, the
// coefficients are G (Y - mean), and the scores of a sample by the others alone, which choose width and penalty, are
// exactly Y_i - (G (Y - mean))_i / G_ii: one inverse gives both. Where that does not fit in memory, samples are
// compared with landmarks alone (landmark_regression.h).

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "classify/classifier.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/landmark_regression.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/closed_labels.h"
#include "data/kernel/ridge_solver.h"
#include "data/missing.h"
#include "math/pooled_ranking.h"

namespace clade {
namespace {

constexpr Choice<RidgeKernel> kRidgeKernelWords[] = {
    {RidgeKernel::kAuto, "auto"}, {RidgeKernel::kExponential, "exponential"}, {RidgeKernel::kRbf, "rbf"}};

enum class Objective { kAuto, kAreaUnderCurve, kF1 };
constexpr Choice<Objective> kObjectiveWords[] = {
    {Objective::kAuto, "auto"}, {Objective::kAreaUnderCurve, "au-prc"}, {Objective::kF1, "f1"}};

struct RidgeOptions {
  RidgeKernel kernel = RidgeKernel::kAuto;
  double width = std::numeric_limits<double>::quiet_NaN();
  double penalty = std::numeric_limits<double>::quiet_NaN();
  Objective objective = Objective::kAuto;
  Scale scale = Scale::kAuto;
  Index search_samples = 0;
  Index landmarks = 0;
  std::string memory;
};

template <class V>
void describe(V& v, RidgeOptions& o) {
  v("kernel", o.kernel, kRidgeKernelWords,
    "similarity of two samples; exponential: exp(-width d / median d); rbf: exp(-width d^2 / median d^2); auto: "
    "chosen by leave-one-out");
  v("width", o.width, positive(), "how fast similarity falls with distance; auto: chosen by leave-one-out");
  v("penalty", o.penalty, positive(), "added to the diagonal of the kernel; auto: chosen by leave-one-out");
  v("objective", o.objective, kObjectiveWords,
    "what leave-one-out scores are judged by; au-prc: the area under the pooled precision-recall curve; f1: "
    "hierarchical F1 of the labels; auto: au-prc if samples have several labels, else f1");
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard or none by leave-one-out, "
    "unit if sparse");
  v("search-samples", o.search_samples, nonnegative(),
    "random samples on which these are chosen, if there are more; 0: 1500, by f1 3000, which varies more");
  v("landmarks", o.landmarks, nonnegative(),
    "random samples that others are compared with, by Nystroem's method, if there are more; 0: all samples, or what "
    "`memory` has room for, at most 3000");
  v("memory", o.memory, "largest amount of memory, such as 4G (by default four fifths of the machine's)");
}

struct RidgeChoice {
  RidgeKernel kernel = RidgeKernel::kExponential;
  double width = 1;
  double penalty = 1;
  double area = -1;
};

constexpr double kPenalties[] = {0.001, 0.003, 0.01, 0.03, 0.08, 0.2, 0.5, 1.2, 3, 8};

// How good scores of samples by others are.
double judged(const Dataset& data, const ClosedLabels& labels, Matrix scores, bool by_f1, Context& ctx) {
  if (by_f1) return decision_f1(data, labels, std::move(scores), ctx);
  return average_precision(rank_pairs(scores, labels.members, ctx));
}

// From the penalty of number `at`, up or down until that no longer gains. Returns the best; `at` is its number.
template <class AreaOf>
double climb_penalties(std::size_t& at, const AreaOf& area_of) {
  double area = area_of(kPenalties[at]);
  for (const int step : {1, -1}) {
    bool has_risen = false;
    while (step > 0 ? at + 1 < std::size(kPenalties) : at > 0) {
      const std::size_t next = step > 0 ? at + 1 : at - 1;
      const double there = area_of(kPenalties[next]);
      if (there <= area) break;
      area = there;
      at = next;
      has_risen = true;
    }
    if (has_risen) break;
  }
  return area;
}

// The kernel, width and penalty whose leave-one-out scores are best.
class RidgeSearch {
 public:
  RidgeSearch(RidgeProblem& problem, bool by_f1, Context& ctx) : problem_(problem), by_f1_(by_f1), ctx_(ctx) {}

  RidgeChoice run(const RidgeOptions& options) {
    std::vector<RidgeChoice> tried;
    for (const RidgeKernel kernel : {RidgeKernel::kExponential, RidgeKernel::kRbf}) {
      if (options.kernel != RidgeKernel::kAuto && options.kernel != kernel) continue;
      for (const double width : {0.5, 1.0, 2.0}) {
        if (std::isnan(options.width)) {
          tried.push_back({.kernel = kernel, .width = width});
        } else if (width == 1) {
          tried.push_back({.kernel = kernel, .width = options.width});
        }
      }
    }
    Progress progress(ctx_, "choosing kernel, width and penalty", std::ssize(tried));
    RidgeChoice best;
    for (RidgeChoice choice : tried) {
      if (std::isnan(options.penalty)) {
        climb(choice);
      } else {
        choice.penalty = options.penalty;
        choice.area = area_of(choice);
      }
      if (choice.area > best.area) best = choice;
      progress.advance();
    }
    return best;
  }

 private:
  double area_of(const RidgeChoice& choice) {
    RidgeFit fit = solve_ridge(problem_, choice.kernel, choice.width, choice.penalty, true, ctx_);
    return judged(problem_.data, problem_.labels, std::move(fit.held_out), by_f1_, ctx_);
  }

  // The best penalty of a kernel, from the best of the kernel before.
  void climb(RidgeChoice& choice) {
    choice.area = climb_penalties(start_, [&](double penalty) {
      choice.penalty = penalty;
      return area_of(choice);
    });
    choice.penalty = kPenalties[start_];
  }

  RidgeProblem& problem_;
  bool by_f1_;
  Context& ctx_;
  std::size_t start_ = 6;
};

class KernelRidge : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  void check(ChosenFeatures chosen) const override {
    if (chosen == ChosenFeatures::kPerNode) {
      throw usage_error("kernel-ridge compares samples by the same features at all nodes",
                        "expected a ranking of all features together");
    }
    memory_limit();
  }

  bool takes_missing_values() const override { return true; }

  ModelBody train(const TrainingInput& given, Context& ctx) override {
    require_squares(given.data, ctx);
    Index without_values = 0;
    Index replaced = 0;
    std::shared_ptr<const Replacement> means = means_for(given.data, without_values);
    const Dataset data = means ? with_replaced_values(given.data, means, replaced, ctx) : given.data;
    if (replaced > 0) {
      for (const std::string& note : replacement_notes(replaced, true, without_values)) ctx.info(note);
    }
    const TrainingInput input{data, given.tables, given.features, given.weight};
    const ClosedLabels labels = closed_labels(data, input.weight);
    const Index landmarks = landmarks_for(data, labels.columns(), ctx);
    std::vector<FeatureIndex> features;
    if (!input.features.empty()) features = input.features[0];
    const Scale scale = chosen_scale(input, labels, features, ctx);
    const PreparedScale prepared = prepared_scale(data, scale, ctx);

    RidgeOptions chosen = options_;
    if (chosen.kernel == RidgeKernel::kAuto || std::isnan(chosen.width) || std::isnan(chosen.penalty)) {
      const RidgeChoice best = search(input, labels, prepared, features, options_, search_samples(data), ctx);
      chosen.kernel = best.kernel;
      chosen.width = best.width;
      chosen.penalty = best.penalty;
    }
    std::vector<Index> support = shuffled_samples(data, ctx);
    if (landmarks > 0) support.resize(static_cast<std::size_t>(landmarks));
    std::sort(support.begin(), support.end());
    KernelOptions kernel{
        .kind = chosen.kernel == RidgeKernel::kExponential ? KernelKind::kExponential : KernelKind::kRbf, .gamma = 1};
    const auto samples_of = [&](std::span<const Index> some) {
      return KernelSamples(kernel_arrays(data, some, features, prepared.features, prepared.has_unit_rows), kernel, ctx);
    };
    KernelSamples samples = samples_of(support);
    RidgeProblem problem{squared_distances(samples, ctx), 1, data, labels, input.weight};
    problem.median = median_square(problem.squares);
    kernel.gamma = chosen.width / (kernel.kind == KernelKind::kRbf ? problem.median : std::sqrt(problem.median));
    RidgeFit fit;
    if (landmarks == 0) {
      fit = solve_ridge(problem, chosen.kernel, chosen.width, chosen.penalty, false, ctx);
    } else {
      problem.squares.resize(0, 0);
      LandmarkRegression regression(support, kernel, samples_of, labels, input.weight, ctx);
      if (std::isnan(options_.penalty)) chosen.penalty = best_penalty(regression, chosen.penalty, data, labels, ctx);
      regression.solve(chosen.penalty);
      std::vector<Index> all(static_cast<std::size_t>(data.samples()));
      std::iota(all.begin(), all.end(), Index{0});
      fit = {regression.coefficient(), regression.held_out(all)};
    }

    auto nodes = std::make_shared<NodeModel>();
    nodes->nodes = labels.nodes;
    nodes->mean = labels.frequency;
    ModelBody model;
    model.kind = ModelKind::kNodes;
    model.has_probabilities = true;
    model.has_unit_rows = prepared.has_unit_rows;
    model.replacement = std::move(means);
    if (given.keeps_held_out) nodes->held_out = fit.held_out;
    learn_decisions(*nodes, model.node_threshold, data, labels, std::move(fit.held_out), ctx);
    std::vector<std::string> names;
    LabelSets folded;
    for (const Index s : support) {
      names.push_back(data.sample_name(s));
      for (const NodeId label : data.labels(s)) folded.nodes.push_back(data.taxonomy().fold(label));
      folded.offsets.push_back(std::ssize(folded.nodes));
    }
    nodes->ridge.emplace(RidgeExpansion{std::move(features), prepared.features, kernel, std::move(samples),
                                        std::move(fit.coefficient), std::move(names), std::move(folded)});
    model.node_model = std::move(nodes);
    model.summary.emplace_back("scale", scale == Scale::kNone ? "none" : scale == Scale::kUnit ? "unit" : "standard");
    model.summary.emplace_back("kernel", chosen.kernel == RidgeKernel::kExponential ? "exponential" : "rbf");
    model.summary.emplace_back("width", fmt::format("{}", chosen.width));
    model.summary.emplace_back("penalty", fmt::format("{}", chosen.penalty));
    if (landmarks > 0) model.summary.emplace_back("landmarks", fmt::format("{}", landmarks));
    return model;
  }

 private:
  // Means for missing values, of the training samples and later ones; none if the data had them replaced, or are sparse
  // and complete.
  static std::shared_ptr<const Replacement> means_for(const Dataset& data, Index& without_values) {
    if (data.replacement() || (is_sparse(data.matrix()) && !has_missing_values(data))) return nullptr;
    std::vector<Index> all(static_cast<std::size_t>(data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    return std::make_shared<const Replacement>(feature_means(data, all, without_values));
  }

  double memory_limit() const {
    return options_.memory.empty() ? default_memory_limit() : parse_bytes(options_.memory);
  }

  // How many samples are landmarks; 0: all, by the exact solution.
  Index landmarks_for(const Dataset& data, Index columns, Context& ctx) const {
    const auto n = static_cast<double>(data.samples());
    const double scores = 3 * n * static_cast<double>(columns);
    const auto needed_by = [&](Index landmarks) {
      if (landmarks >= data.samples()) return 8 * (2 * n * n + scores);
      const auto m = static_cast<double>(landmarks);
      constexpr double kRowsTogether = 3 * 1024;
      return 8 * (4 * m * m + scores + m * (kRowsTogether + 3 * static_cast<double>(columns)));
    };
    const double limit = memory_limit();
    const Index wanted = options_.landmarks == 0 ? data.samples() : std::min(options_.landmarks, data.samples());
    if (needed_by(wanted) <= limit) return wanted == data.samples() ? 0 : wanted;
    constexpr Index kMost = 3000;  // so that 100,000 samples take minutes
    constexpr Index kFewest = 100;
    constexpr Index kStep = 20;
    Index fitting = std::min(kMost, wanted - 1);
    while (fitting > kFewest && needed_by(fitting) > limit) fitting -= kStep;
    const bool fits = needed_by(fitting) <= limit;
    if (options_.landmarks > 0 || !fits) {
      throw usage_error(
          fmt::format("kernel-ridge needs {} for {} samples and {} nodes",
                      bytes_text(needed_by(options_.landmarks > 0 ? wanted : fitting)), data.samples(), columns),
          fmt::format("expected at most {}, the limit of memory{}; `memory` sets another", bytes_text(limit),
                      fits ? fmt::format(": that is enough for {} `landmarks`", fitting) : ""));
    }
    ctx.info(fmt::format("the kernel of {} samples would take {}: all are compared with {} of them", data.samples(),
                         bytes_text(needed_by(data.samples())), fitting));
    return fitting;
  }

  // By scores of the reduced regression itself, on samples held out one by one.
  double best_penalty(LandmarkRegression& regression, double first, const Dataset& data, const ClosedLabels& labels,
                      Context& ctx) const {
    std::vector<Index> some = shuffled_samples(data, ctx);
    // From the end: the landmarks come from the beginning.
    const Index count = std::min(search_samples(data), data.samples());
    some.erase(some.begin(), some.end() - count);
    std::sort(some.begin(), some.end());
    const Dataset part = data.subset(some);
    const ClosedLabels part_labels = labels_of(labels, some);
    auto at = static_cast<std::size_t>(std::ranges::find(kPenalties, first) - std::begin(kPenalties));
    climb_penalties(at, [&](double penalty) {
      regression.solve(penalty);
      return judged(part, part_labels, regression.held_out(some), is_judged_by_f1(data), ctx);
    });
    return kPenalties[at];
  }

  static std::vector<Index> shuffled_samples(const Dataset& data, Context& ctx) {
    std::vector<Index> samples(static_cast<std::size_t>(data.samples()));
    std::iota(samples.begin(), samples.end(), Index{0});
    RandomStream random(ctx.seed(), {kSubsampleStream, kSolverStream});
    random.shuffle(std::span(samples));
    return samples;
  }

  Index search_samples(const Dataset& data) const {
    if (options_.search_samples > 0) return options_.search_samples;
    return is_judged_by_f1(data) ? kSamplesByF1 : kSamplesByArea;
  }

  static constexpr Index kSamplesByArea = 1500;
  static constexpr Index kSamplesByF1 = 3000;

  bool is_judged_by_f1(const Dataset& data) const {
    return options_.objective == Objective::kF1 ||
           (options_.objective == Objective::kAuto && !has_several_labels(data));
  }

  // Scales are compared at one width only: which one is better depends little on it.
  Scale chosen_scale(const TrainingInput& input, const ClosedLabels& labels, std::span<const FeatureIndex> features,
                     Context& ctx) const {
    if (options_.scale != Scale::kAuto) return options_.scale;
    if (is_sparse(input.data.matrix())) return Scale::kUnit;
    RidgeOptions probe = options_;
    probe.width = 1;
    RidgeChoice best;
    Scale scale = Scale::kStandard;
    for (const Scale tried : {Scale::kStandard, Scale::kNone}) {
      const PreparedScale prepared = prepared_scale(input.data, tried, ctx);
      const RidgeChoice found = search(input, labels, prepared, features, probe, kSamplesByArea, ctx);
      if (found.area <= best.area) continue;
      best = found;
      scale = tried;
    }
    return scale;
  }

  RidgeChoice search(const TrainingInput& input, const ClosedLabels& labels, const PreparedScale& prepared,
                     std::span<const FeatureIndex> features, const RidgeOptions& options, Index enough,
                     Context& ctx) const {
    const Dataset& data = input.data;
    std::vector<Index> some = shuffled_samples(data, ctx);
    if (data.samples() > enough) some.resize(static_cast<std::size_t>(enough));
    std::sort(some.begin(), some.end());
    std::vector<double> weight;
    for (const Index s : some) {
      if (!input.weight.empty()) weight.push_back(input.weight[static_cast<std::size_t>(s)]);
    }
    const KernelOptions kernel{.kind = KernelKind::kLinear, .gamma = 1};
    const KernelSamples samples(kernel_arrays(data, some, features, prepared.features, prepared.has_unit_rows), kernel,
                                ctx);
    RidgeProblem problem{squared_distances(samples, ctx), 1, data.subset(some), labels_of(labels, some),
                         std::move(weight)};
    problem.median = median_square(problem.squares);
    return RidgeSearch(problem, is_judged_by_f1(data), ctx).run(options);
  }

  RidgeOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_kernel_ridge() {
  return std::make_unique<KernelRidge>();
}

}  // namespace clade

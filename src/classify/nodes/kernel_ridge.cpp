// Kernel ridge regression of labels closed upward, for all nodes together:
//
//   F = K (K + penalty I)^-1 (Y - mean) + mean
//
// with Y[i, v] = 1 if sample i belongs to node v, and K_ij = exp(-width distance / median distance) (exponential) or
// exp(-width distance^2 / median distance^2) (rbf) on standardised features. With G = (K + penalty I)^-1, the
// coefficients are G (Y - mean), and the scores of a sample by the others alone, which choose width and penalty, are
// exactly Y_i - (G (Y - mean))_i / G_ii: one inverse gives both. Where that does not fit in memory, or each process has
// some of the samples only, these are compared with landmarks alone (landmark_regression.h).

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "classify/classifier.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/landmark_regression.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "comm/collectives.h"
#include "comm/even_blocks.h"
#include "comm/team.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/closed_labels.h"
#include "data/kernel/ridge_solver.h"
#include "data/missing.h"
#include "data/row_exchange.h"
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
    "`memory` has room for, at most 3000; where each process has some of the samples, 3000");
  v("memory", o.memory, "largest amount of memory, such as 4G (by default four fifths of the machine's)");
}

struct RidgeChoice {
  RidgeKernel kernel = RidgeKernel::kExponential;
  double width = 1;
  double penalty = 1;
  double area = -1;
};

constexpr double kPenalties[] = {0.001, 0.003, 0.01, 0.03, 0.08, 0.2, 0.5, 1.2, 3, 8};

// What the leader has chosen. Processors of different kinds round differently, so that others might choose otherwise.
template <class T>
T as_leader(Team& team, const T& chosen) {
  if (team.size() == 1) return chosen;
  std::string bytes = ByteWriter().put(chosen).take();
  broadcast(team.processes(), 0, bytes);
  return ByteReader(bytes).get<T>();
}

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
  bool takes_row_parts() const override { return true; }

  ModelBody train(const TrainingInput& given, Context& ctx) override {
    require_squares(given.data, ctx);
    const bool by_rows = given.data.row_parts() != nullptr;
    Team alone(std::make_shared<Alone>());
    Team* const others = by_rows ? team_of(ctx) : nullptr;
    Team& team = others == nullptr ? alone : *others;
    CLADE_CHECK(!by_rows || std::ssize(given.data.row_parts()->first) == team.size() + 1);
    const EvenBlocks blocks = by_rows ? EvenBlocks(team, given.data.samples(), kLeastRowsOfBlock)
                                      : EvenBlocks::one(team, given.data.samples());
    const ClosedLabels labels = closed_labels(given.data, given.weight);
    const std::vector<Index> judged =
        by_rows ? judged_samples(given.data, labels.columns(), ctx) : all_samples(given.data);
    const Index landmarks = by_rows ? landmarks_by_rows(blocks, std::ssize(judged), labels.columns())
                                    : landmarks_for(given.data, labels.columns(), ctx);
    std::shared_ptr<const Replacement> means;
    const Dataset data =
        by_rows ? exchanged(given.data, blocks, landmarks, means, ctx) : complete(given.data, means, ctx);
    const TrainingInput input{data, given.tables, given.features, given.weight};
    std::vector<FeatureIndex> features;
    if (!input.features.empty()) features = input.features[0];
    const Scale scale = as_leader(team, chosen_scale(input, labels, features, blocks, ctx));
    const PreparedScale prepared = prepared_scale(data, scale, blocks, ctx);

    RidgeOptions chosen = options_;
    if (chosen.kernel == RidgeKernel::kAuto || std::isnan(chosen.width) || std::isnan(chosen.penalty)) {
      const RidgeChoice best =
          as_leader(team, search(input, labels, prepared, features, options_, search_samples(data), ctx));
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
      return KernelSamples(kernel_arrays(data, some, features, prepared.features, prepared.has_unit_rows, ctx), kernel,
                           ctx);
    };
    KernelSamples samples = samples_of(support);
    RidgeProblem problem{squared_distances(samples, ctx), 1, data, labels, input.weight};
    problem.median = as_leader(team, median_square(problem.squares));
    kernel.gamma = chosen.width / (kernel.kind == KernelKind::kRbf ? problem.median : std::sqrt(problem.median));
    RidgeFit fit;
    if (landmarks == 0) {
      fit = solve_ridge(problem, chosen.kernel, chosen.width, chosen.penalty, false, ctx);
    } else {
      problem.squares.resize(0, 0);
      LandmarkRegression regression(support, kernel, samples_of, labels, input.weight, blocks, ctx);
      if (std::isnan(options_.penalty)) {
        chosen.penalty = as_leader(team, best_penalty(regression, chosen.penalty, data, labels, ctx));
      }
      regression.solve(chosen.penalty);
      fit = {regression.coefficient(), regression.shared_held_out(judged)};
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
    if (std::ssize(judged) == data.samples()) {
      learn_decisions(*nodes, model.node_threshold, data, labels, std::move(fit.held_out), ctx);
    } else {
      learn_decisions(*nodes, model.node_threshold, data.subset(judged), labels_of(labels, judged),
                      std::move(fit.held_out), ctx);
    }
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
  static std::vector<Index> all_samples(const Dataset& data) {
    std::vector<Index> all(static_cast<std::size_t>(data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }

  // The data with the means of features for missing values, of the training samples and later ones; no means if the
  // data had them replaced, or are sparse and complete.
  static Dataset complete(const Dataset& data, std::shared_ptr<const Replacement>& means, Context& ctx) {
    if (data.replacement() || (is_sparse(data.matrix()) && !has_missing_values(data))) return data;
    Index without_values = 0;
    Index replaced = 0;
    means = std::make_shared<const Replacement>(feature_means(data, all_samples(data), without_values));
    Dataset result = with_replaced_values(data, means, replaced, ctx);
    if (replaced > 0) {
      for (const std::string& note : replacement_notes(replaced, true, without_values)) ctx.info(note);
    }
    return result;
  }

  // The same samples, with the values of this process's blocks and of all that every process looks at: landmarks, and
  // samples of a search. No value may be missing; means are for those of later samples.
  Dataset exchanged(const Dataset& data, const EvenBlocks& blocks, Index landmarks,
                    std::shared_ptr<const Replacement>& means, Context& ctx) const {
    const RowParts& parts = *data.row_parts();
    const auto own = static_cast<std::size_t>(parts.own);
    require_finite(data, parts.first[own], parts.first[own + 1]);
    Team& team = blocks.sums().team();
    WantedRows wanted(parts);
    // A search takes samples from the beginning, as landmarks are, and then from the end (best_penalty()).
    std::vector<Index> common = shuffled_samples(data, ctx);
    const Index first = std::max({landmarks, search_samples(data), kSamplesByArea});
    const Index last = std::ssize(common) - search_samples(data);
    if (first < last) common.erase(common.begin() + first, common.begin() + last);
    for (int process = 0; process < team.size(); ++process) {
      const auto [begin, end] = blocks.rows_of_process(process);
      for (Index sample = begin; sample < end; ++sample) wanted.add(process, sample);
      for (const Index sample : common) wanted.add(process, sample);
    }
    // One process has all of them.
    Dataset result = team.size() == 1 ? data : with_rows(data, wanted.rows(), team);
    result = result.with_row_parts(nullptr);
    if (!is_sparse(data.matrix()) && !data.replacement()) {
      means = std::make_shared<const Replacement>(standard_scale(result, blocks, ctx).mean);
    }
    return result;
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
      return 8 * (4 * m * m + scores + m * (kNumbersOfLandmark + 3 * static_cast<double>(columns)));
    };
    const double limit = memory_limit();
    const Index wanted = options_.landmarks == 0 ? data.samples() : std::min(options_.landmarks, data.samples());
    if (needed_by(wanted) <= limit) return wanted == data.samples() ? 0 : wanted;
    constexpr Index kFewest = 100;
    constexpr Index kStep = 20;
    Index fitting = std::min(kMostLandmarks, wanted - 1);
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

  // Where processes have parts of the samples, what fits into memory has no say: it differs between machines.
  Index landmarks_by_rows(const EvenBlocks& blocks, Index judged, Index columns) const {
    const Index landmarks = std::min(options_.landmarks > 0 ? options_.landmarks : kMostLandmarks, blocks.rows());
    const auto m = static_cast<double>(landmarks);
    const auto c = static_cast<double>(columns);
    const double sums = 2 + std::log2(static_cast<double>(blocks.sums().blocks()));
    const double scores = 4 * static_cast<double>(judged) * c;
    const double needed = 8 * (4 * m * m + sums * (m * m / 2 + m * c) + m * (kNumbersOfLandmark + 3 * c) + scores);
    if (needed <= memory_limit()) return landmarks;
    throw usage_error(fmt::format("kernel-ridge needs {} in every process for {} landmarks and {} nodes",
                                  bytes_text(needed), landmarks, columns),
                      fmt::format("expected at most {}, the limit of memory; fewer `landmarks` need less, and `memory` "
                                  "sets another limit",
                                  bytes_text(memory_limit())));
  }

  // Those whose scores teach probabilities and decisions, ascending: all, unless every process would get too many; some
  // of every label, since no other label would be predicted.
  static std::vector<Index> judged_samples(const Dataset& data, Index columns, Context& ctx) {
    const Index enough = kEnoughJudged / std::max<Index>(1, columns);
    std::vector<char> has_label(static_cast<std::size_t>(data.taxonomy().size()), 0);
    std::vector<Index> some;
    for (const Index sample : shuffled_samples(data, ctx)) {
      bool is_new = false;
      for (const NodeId label : data.labels(sample)) {
        is_new = is_new || has_label[static_cast<std::size_t>(label)] == 0;
        has_label[static_cast<std::size_t>(label)] = 1;
      }
      if (std::ssize(some) < enough || is_new) some.push_back(sample);
    }
    std::ranges::sort(some);
    return some;
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
    std::vector<Index> samples = all_samples(data);
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
  static constexpr Index kMostLandmarks = 3000;           // unless asked for; 100,000 samples take minutes
  static constexpr double kNumbersOfLandmark = 3 * 1024;  // of the rows that are compared with it at a time
  static constexpr Index kLeastRowsOfBlock = 2048;        // so that adding up blocks takes little of the time
  static constexpr Index kEnoughJudged = 20'000'000;      // scores of samples x labels

  bool is_judged_by_f1(const Dataset& data) const {
    return options_.objective == Objective::kF1 ||
           (options_.objective == Objective::kAuto && !has_several_labels(data));
  }

  // Scales are compared at one width only: which one is better depends little on it.
  Scale chosen_scale(const TrainingInput& input, const ClosedLabels& labels, std::span<const FeatureIndex> features,
                     const EvenBlocks& blocks, Context& ctx) const {
    if (options_.scale != Scale::kAuto) return options_.scale;
    if (is_sparse(input.data.matrix())) return Scale::kUnit;
    RidgeOptions probe = options_;
    probe.width = 1;
    RidgeChoice best;
    Scale scale = Scale::kStandard;
    for (const Scale tried : {Scale::kStandard, Scale::kNone}) {
      const PreparedScale prepared = prepared_scale(input.data, tried, blocks, ctx);
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
    const KernelSamples samples(kernel_arrays(data, some, features, prepared.features, prepared.has_unit_rows, ctx),
                                kernel, ctx);
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

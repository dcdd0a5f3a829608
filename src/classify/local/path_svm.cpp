#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "classify/cross_calibration.h"
#include "classify/linear/active_sets.h"
#include "classify/linear/newton_hinge.h"
#include "classify/local/level_weights.h"
#include "classify/local/svm_node.h"
#include "classify/local/top_down.h"
#include "classify/node_features.h"
#include "comm/tasks.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

constexpr double kAuto = std::numeric_limits<double>::quiet_NaN();

struct PathSvmOptions {
  double c = kAuto;
  Loss loss = Loss::kSquaredHinge;
  double bias = 1;
  double tolerance = 0.1;
  int iterations = 1000;
  Scale scale = Scale::kAuto;
  double size_power = kAuto;
  SharedCalibrationOptions calibration;
  PackOptions pack{.sparse_prune = 0.03};  // all nodes compete, so small weights matter more than within one node
};

template <class V>
void describe(V& v, PathSvmOptions& o) {
  v("c", o.c, positive(),
    "weight of the training errors against the size of the weights; auto: 1, or what leaving out each sample "
    "recommends "
    "where Newton steps are taken");
  v("loss", o.loss, kLossWords, "loss of a training error");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none");
  v("tolerance", o.tolerance, positive(), "how closely the optimality conditions must be met");
  v("iterations", o.iterations, at_least(1), "largest number of passes over the samples");
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, "
    "unit if dense but mostly 0, or the better one where c is chosen");
  v("size-power", o.size_power, between(-2, 2),
    "decisions of a node are multiplied by this power of its number of samples; auto: learnt together with the weights "
    "of the levels");
  describe(v, o.calibration);
  describe(v, o.pack);
}

// Is a sample at or below the node?
class Membership {
 public:
  explicit Membership(const Dataset& data) : rows_(static_cast<std::size_t>(data.taxonomy().size())) {
    const Taxonomy& taxonomy = data.taxonomy();
    std::vector<NodeId> above;
    for (Index s = 0; s < data.samples(); ++s) {
      above.clear();
      for (const NodeId label : data.labels(s)) {
        above.push_back(label);
        const std::vector<NodeId> more = taxonomy.ancestors(label);
        above.insert(above.end(), more.begin(), more.end());
      }
      std::sort(above.begin(), above.end());
      above.erase(std::unique(above.begin(), above.end()), above.end());
      for (const NodeId node : above) rows_[static_cast<std::size_t>(node)].push_back(s);
    }
  }
  std::vector<Index>& below(NodeId node) { return rows_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<std::vector<Index>> rows_;
};

// The linear functions of the nodes while they are being learnt.
class Outputs {
 public:
  // `options` has a value for c. The weights are learnt by held-out decisions unless they are given.
  Outputs(const TrainingInput& input, const PathSvmOptions& options, const PathWeights* given, Context& ctx)
      : input_(input),
        options_(options),
        ctx_(ctx),
        scaling_(prepared_scale(input.data, linear_scale(input.data, options.scale), ctx)),
        has_lists_(input.chosen() == ChosenFeatures::kPerNode),
        features_(features_of_all(input.features)),
        prune_(options.pack.prune_for(input.data)) {
    Membership membership(input.data);
    const Taxonomy& taxonomy = input.data.taxonomy();
    for (NodeId node = 1; node < taxonomy.size(); ++node) {
      if (membership.below(node).empty()) continue;
      nodes_.push_back(node);
      streams_.push_back(static_cast<std::uint64_t>(node));
      levels_.push_back(static_cast<std::size_t>(taxonomy.depth(node)) - 1);
      positives_.push_back(std::move(membership.below(node)));
      double size = input.weight.empty() ? static_cast<double>(positives_.back().size()) : 0;
      for (const Index s : positives_.back())
        size += input.weight.empty() ? 0 : input.weight[static_cast<std::size_t>(s)];
      sizes_.push_back(size);
    }
    weights_.resize(nodes_.size());
    bias_.resize(nodes_.size());
    if (!has_lists_) all_rows_ = rows_of(features_);
    if (given != nullptr) {
      paths_ = *given;
      return;
    }
    // Where each is left out alone, all can be; where all are left out together, most must stay.
    held_out_.emplace(input.data.samples(), leaves_out_each() ? 1 : 6, levels_, ctx.seed());
  }

  void learn() {
    Progress progress(ctx_, "training", std::ssize(nodes_));
    if (Team* const team = team_of(ctx_)) {
      share_outputs(*team, progress);
    } else if (has_lists_) {
      parallel_for(ctx_, std::ssize(nodes_), 1, [&](Index o, Index) {
        const auto at = static_cast<std::size_t>(o);
        learn_some(rows_of(features_of_node(input_, nodes_[at])), at, 1, progress);
      });
    } else {
      learn_some(all_rows_, 0, nodes_.size(), progress);
    }
    if (!has_all_outputs_) return;
    if (held_out_) {
      held_out_->finish();
      paths_ = learn_path_weights(*held_out_, nodes_, levels_, sizes_, options_.size_power, input_.data, ctx_);
    }
    if (paths_.power == 0) return;
    const std::vector<double> factors = size_factors(levels_, sizes_, paths_.power);
    for (std::size_t o = 0; o < factors.size(); ++o) {
      for (auto& [column, value] : weights_[o]) value *= factors[o];
      bias_[o] = factors[o] * (bias_[o] + 1) - 1;
    }
  }

  ModelBody model() const {
    ModelBody model;
    model.kind = ModelKind::kPaths;
    NodeClassifier& paths = model.nodes.emplace_back();
    paths.node = 0;
    paths.samples = input_.data.samples();
    paths.children = nodes_;
    const auto storage = std::make_shared<PackedWeights>();
    paths.linear = storage->pack(weights_, bias_, has_lists_ ? features_ : all_rows_.features, options_.pack.precision);
    model.storage = storage;
    model.has_unit_rows = scaling_.has_unit_rows;
    model.level_weights = paths_.levels;
    model.summary.emplace_back("weights", fmt::format("{}", paths.linear.offsets.back()));
    std::string levels;
    for (const double w : paths_.levels) levels += fmt::format("{}{:.3g}", levels.empty() ? "" : ", ", w);
    model.summary.emplace_back("level weights", levels);
    if (paths_.power != 0) model.summary.emplace_back("power of node sizes", fmt::format("{:.3g}", paths_.power));
    return model;
  }
  const PathWeights& path_weights() const { return paths_; }
  const PathSvmOptions& options() const { return options_; }
  // With several labels there are many more nodes, and the best leaf is not what counts.
  bool can_choose() const { return leaves_out_each() && !has_several_labels(input_.data); }

 private:
  HingeOptions hinge() const {
    return {.c = options_.c,
            .loss = options_.loss,
            .bias = options_.bias,
            .tolerance = options_.tolerance,
            .iterations = options_.iterations,
            .seed = ctx_.seed()};
  }
  // Are the held-out decisions those of the problem without a sample, and not an estimate?
  bool leaves_out_each() const { return !has_lists_ && NewtonHinge::suits(all_rows_, hinge()); }
  TrainingRows rows_of(std::span<const FeatureIndex> chosen) const {
    std::vector<Index> all(static_cast<std::size_t>(input_.data.samples()));
    std::iota(all.begin(), all.end(), 0);
    return training_rows(input_.data, all,
                         {.features = chosen, .has_unit_length = scaling_.has_unit_rows, .scale = &scaling_.features},
                         ctx_);
  }

  // What further outputs are learnt by, all processes must know.
  ResultsFor results_for() const {
    return can_choose() || options_.calibration.is_wanted() ? ResultsFor::kAll : input_.results_for;
  }

  // Each block of outputs is learnt by one process of the team.
  void share_outputs(Team& team, Progress& progress) {
    constexpr std::size_t kOutputsPerTask = 32;
    const std::size_t block = has_lists_ ? 1 : kOutputsPerTask;
    std::optional<NewtonHinge> newton;
    if (!has_lists_ && NewtonHinge::suits(all_rows_, hinge())) newton.emplace(all_rows_, input_.weight, hinge(), ctx_);
    const auto end_of = [&](std::size_t first) { return std::min(first + block, nodes_.size()); };
    SharedTasks tasks{.name = "outputs", .cost = {}, .threads = {}};
    for (std::size_t first = 0; first < nodes_.size(); first += block) {
      tasks.cost.push_back(static_cast<double>(end_of(first) - first));
    }
    const std::vector<std::string> found = run_tasks(
        team, tasks,
        [&](Index task) {
          const std::size_t first = static_cast<std::size_t>(task) * block;
          const std::size_t count = end_of(first) - first;
          if (newton) {
            learn_by_steps(*newton, all_rows_, first, count, progress);
          } else {
            learn_some(has_lists_ ? rows_of(features_of_node(input_, nodes_[first])) : all_rows_, first, count,
                       progress);
          }
          ByteWriter bytes;
          for (std::size_t o = first; o < first + count; ++o) {
            put(o, bytes);
            if (held_out_) held_out_->put(static_cast<Index>(o), bytes);
          }
          return bytes.take();
        },
        ctx_, results_for());
    has_all_outputs_ = !found.empty();
    for (std::size_t k = 0; k < found.size(); ++k) {
      ByteReader bytes(found[k]);
      for (std::size_t o = k * block; o < end_of(k * block); ++o) {
        get(o, bytes);
        if (held_out_) held_out_->get(static_cast<Index>(o), bytes);
      }
    }
  }

  void put(std::size_t o, ByteWriter& bytes) const {
    bytes.put(bias_[o]).put(weights_[o].size());
    for (const auto& [column, value] : weights_[o]) bytes.put(column).put(value);
  }

  void get(std::size_t o, ByteReader& bytes) {
    bytes.get(bias_[o]);
    weights_[o].resize(bytes.get<std::size_t>());
    for (auto& [column, value] : weights_[o]) bytes.get(column).get(value);
  }

  // The steps give the held-out decisions, too.
  void learn_by_steps(const NewtonHinge& newton, const TrainingRows& rows, std::size_t first, std::size_t count,
                      Progress& progress) {
    const std::vector<Index> asked = held_out_ ? held_out_->samples() : std::vector<Index>();
    parallel_for(ctx_, static_cast<Index>(count), 1, [&](Index k, Index) {
      const std::size_t o = first + static_cast<std::size_t>(k);
      NewtonHinge::Solution solution = newton.solve(positives_[o], asked, ctx_);
      if (held_out_) held_out_->set(static_cast<Index>(o), solution.held_out);
      keep(o, rows, std::move(solution.w), solution.bias);
      progress.advance();
    });
  }

  // Solves the problems of some outputs, which share the rows.
  void learn_some(const TrainingRows& rows, std::size_t first, std::size_t count, Progress& progress) {
    if (NewtonHinge::suits(rows, hinge())) {
      return learn_by_steps(NewtonHinge(rows, input_.weight, hinge(), ctx_), rows, first, count, progress);
    }
    const std::span<const std::vector<Index>> positives = std::span(positives_).subspan(first, count);
    solve_active_sets(
        {rows, positives, std::span(streams_).subspan(first, count), input_.weight}, hinge(),
        [&](const ActiveSetSolution& solution) {
          const std::size_t o = first + static_cast<std::size_t>(solution.problem);
          if (held_out_) estimate(o, solution);
          keep(o, rows, solution.descent->w(), solution.descent->bias());
          progress.advance();
        },
        ctx_);
  }

  // Estimates the held-out decisions of an output, or finds them by solving it again.
  void estimate(std::size_t o, const ActiveSetSolution& solution) {
    const std::vector<Index>& samples = held_out_->samples();
    std::vector<double> with;
    for (const Index s : samples) with.push_back(solution.decisions[static_cast<std::size_t>(s)]);
    std::vector<double> losses(samples.size(), 0);
    for (const HingeDescent::Member& member : solution.descent->members()) {
      const std::int32_t place = held_out_->place_of(member.row);
      if (place < 0) continue;
      const double square = solution.squares[static_cast<std::size_t>(member.row)] + options_.bias * options_.bias;
      losses[static_cast<std::size_t>(place)] = member.alpha * member.sign * square;
    }
    std::vector<double> without;
    if (held_out_->is_measured(static_cast<Index>(o))) {
      // Rows that are no members are far from the margin, and most stay so.
      HingeDescent again = *solution.descent;
      again.leave_if([&](const HingeDescent::Member& member) { return held_out_->place_of(member.row) >= 0; });
      again.solve(options_.tolerance, options_.iterations, ctx_);
      for (const Index s : samples) without.push_back(again.decision(s));
    }
    held_out_->set(static_cast<Index>(o), with, losses, without);
  }

  void keep(std::size_t o, const TrainingRows& rows, std::vector<double> w, double bias) {
    LinearWeights own{{std::move(w)}, {bias}};
    scaling_.features.undo(rows.features, own);
    SparseOutput& kept = weights_[o];
    kept = pruned(own.w[0], prune_);
    bias_[o] = own.bias[0];
    if (!has_lists_) return;
    for (auto& [column, value] : kept) {
      const FeatureIndex feature = rows.features[static_cast<std::size_t>(column)];
      column = static_cast<std::int32_t>(std::ranges::lower_bound(features_, feature) - features_.begin());
    }
  }

  const TrainingInput& input_;
  PathSvmOptions options_;
  Context& ctx_;
  PreparedScale scaling_;
  bool has_lists_;  // every node has features of its own
  std::vector<FeatureIndex> features_;
  double prune_;
  TrainingRows all_rows_;  // without lists
  // Per output.
  std::vector<NodeId> nodes_;
  std::vector<std::uint64_t> streams_;
  std::vector<std::size_t> levels_;
  std::vector<std::vector<Index>> positives_;
  std::vector<double> sizes_;  // sums of the weights of the positives
  std::vector<SparseOutput> weights_;
  std::vector<double> bias_;

  bool has_all_outputs_ = true;  // and not only those that this process has learnt

  std::optional<HeldOutScores> held_out_;
  PathWeights paths_;
};

// Learns with the scale and the c that were given or, where the decisions for samples that are left out one by one
// are known and the data have one label per sample, with those that make these decisions best: the better scale with
// c = 1, then steps of c away from 1, down or up, as long as they help.
std::unique_ptr<Outputs> learn_outputs(const TrainingInput& input, const PathSvmOptions& options, Context& ctx) {
  std::unique_ptr<Outputs> best;
  const auto is_better = [&](Scale scale, double c) {
    PathSvmOptions own = options;
    own.scale = scale;
    own.c = c;
    auto outputs = std::make_unique<Outputs>(input, own, nullptr, ctx);
    outputs->learn();
    // On few samples the best of several is a little better by chance.
    constexpr double kMoreRight = 5;
    const double clear = kMoreRight / static_cast<double>(input.data.samples());
    if (best && outputs->path_weights().quality <= best->path_weights().quality + clear) return false;
    best = std::move(outputs);
    return true;
  };
  const bool is_c_given = !std::isnan(options.c);
  const Scale scale = linear_scale(input.data, options.scale);
  is_better(scale, is_c_given ? options.c : 1);
  if (!best->can_choose()) return best;
  if (options.scale == Scale::kAuto && scale == Scale::kStandard) is_better(Scale::kUnit, best->options().c);
  constexpr double kSteps[][4] = {{0.3, 0.1, 0.03, 0.01}, {3, 10, 30, 100}};
  for (const auto& steps : kSteps) {
    if (is_c_given || best->options().c != 1) break;
    for (const double c : steps) {
      if (!is_better(best->options().scale, c)) break;
    }
  }
  return best;
}

// A linear SVM for every node but the root: the samples below it against all others. A leaf's score is the sum over its
// path of the nodes' decisions, each times a weight of its level and a power of its size (level_weights.h). These are
// learnt on estimates of the decisions for samples held out of training: a coordinate search finds those with the best
// sum of hierarchical F1 and accuracy. All weight on the leaves gives the flat one-vs-rest classifier.
class PathSvm : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    check_calibration(options_.calibration, input.data);
    const std::unique_ptr<Outputs> outputs = learn_outputs(input, options_, ctx);
    ModelBody model = outputs->model();
    if (std::isnan(options_.c) && outputs->can_choose()) {
      model.summary.emplace_back("chosen c", fmt::format("{:g}", outputs->options().c));
    }
    if (options_.calibration.is_wanted()) {
      // The weights of paths are few, and hold for the parts, too; so does c.
      calibrate_at_once(
          model, input, options_.calibration,
          [&](const TrainingInput& part) {
            Outputs of_part(part, outputs->options(), &outputs->path_weights(), ctx);
            of_part.learn();
            return of_part.model();
          },
          ctx);
    }
    return model;
  }

 private:
  PathSvmOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_path_svm() {
  return std::make_unique<PathSvm>();
}

}  // namespace clade

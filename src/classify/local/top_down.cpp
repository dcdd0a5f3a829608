#include "classify/local/top_down.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "classify/local/calibration.h"
#include "classify/local/cross_scores.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

// Scores of an SVM are margins around 1; a softmax of four times the scores comes close to probabilities.
constexpr double kMarginTemperature = 4;

std::vector<double> row_weights(const TrainingInput& input, const NodeTable& table, ClassWeight choice) {
  std::vector<double> weight;
  if (!input.weight.empty()) {
    for (const Index s : table.rows) weight.push_back(input.weight[static_cast<std::size_t>(s)]);
  }
  if (choice == ClassWeight::kNone) return weight;
  std::vector<double> count(static_cast<std::size_t>(table.classes()), 0);
  for (const std::int32_t child : table.columns) ++count[static_cast<std::size_t>(child)];
  weight.resize(table.rows.size(), 1);
  const auto labels = static_cast<double>(table.columns.size());
  for (Index r = 0; r < table.samples(); ++r) {
    double factor = 0;
    for (const std::int32_t child : table.labels(r)) {
      factor += labels / (static_cast<double>(table.classes()) * count[static_cast<std::size_t>(child)]);
    }
    weight[static_cast<std::size_t>(r)] *= factor / static_cast<double>(table.labels(r).size());
  }
  return weight;
}

class Trainer {
 public:
  Trainer(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options, Context& ctx)
      : input_(input),
        solver_(solver),
        options_(options),
        ctx_(ctx),
        scale_(linear_scale(input.data, options.scale)),
        scaling_(prepared_scale(input.data, scale_, ctx)),
        storage_(std::make_shared<std::vector<PackedWeights>>(input.tables.size())) {}

  ModelBody train() {
    solved_.resize(input_.tables.size());
    {
      Progress progress(ctx_, "training", std::ssize(input_.tables));
      for_each_node([&](std::size_t i) {
        solve(i);
        progress.advance();
      });
    }
    // Solvers of rows that do not fit into memory ask for the other; who reads the samples next reads them in order.
    if (solver_.takes_made_rows()) expect_random_order(input_.data, false);
    if (options_.calibrate != Calibrate::kNone) calibrate_nodes();
    return collect();
  }

 private:
  double work(std::size_t i) const {
    const NodeTable& table = input_.tables[i];
    return static_cast<double>(table.samples()) * static_cast<double>(table.classes());
  }

  // Calls work on every node that has samples, the largest first: they determine the total time. Threads that find no
  // node left help with the loops inside those that are still worked on.
  template <class Work>
  void for_each_node(const Work& work_on) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < input_.tables.size(); ++i) {
      if (input_.tables[i].samples() > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return work(a) != work(b) ? work(a) > work(b) : a < b; });
    parallel_for(ctx_, std::ssize(order), 1, [&](Index k, Index) { work_on(order[static_cast<std::size_t>(k)]); });
  }

  TrainingRows rows_of(std::size_t i, const Dataset& data, const std::vector<std::vector<FeatureIndex>>& features,
                       const PreparedScale& scaling) const {
    return rows_of(i, input_.tables[i], data, features, scaling);
  }
  // Of some of the samples of a node.
  static TrainingRows rows_of(std::size_t i, const NodeTable& table, const Dataset& data,
                              const std::vector<std::vector<FeatureIndex>>& features, const PreparedScale& scaling,
                              bool may_be_made = false) {
    RowOptions options{
        .has_unit_length = scaling.has_unit_rows, .scale = &scaling.features, .may_be_made = may_be_made};
    if (!features.empty()) options.features = features[i];
    return training_rows(data, table.rows, options);
  }

  void solve(std::size_t i) {
    ctx_.check_cancelled();
    const NodeTable& table = input_.tables[i];
    NodeClassifier& node = solved_[i];
    node.node = table.node;
    node.samples = table.samples();
    node.temperature = kMarginTemperature;
    if (table.classes() == 1) {
      node.children = table.children;
      return;
    }
    if (has_tree(table)) return solve_tree(i);
    const TrainingRows rows = rows_of(i, table, input_.data, input_.features, scaling_, solver_.takes_made_rows());
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    NodeSolution solution = solver_.solve(table, rows, weight, static_cast<std::uint64_t>(table.node), ctx_);
    for (const std::int32_t child : solution.order) {
      node.children.push_back(table.children[static_cast<std::size_t>(child)]);
    }
    node.decision = solution.decision;
    scaling_.features.undo(rows.features, solution.weights);
    const double prune = options_.pack.prune_for(input_.data);
    std::vector<SparseOutput> kept(solution.weights.w.size());
    parallel_for(ctx_, std::ssize(kept), 1, [&](Index o, Index) {
      const auto at = static_cast<std::size_t>(o);
      kept[at] = pruned(solution.weights.w[at], prune);
    });
    node.linear = (*storage_)[i].pack(kept, solution.weights.bias, rows.features, options_.pack.precision);
    unsolved_ += solution.has_converged ? 0 : 1;
  }

  bool has_tree(const NodeTable& table) const {
    return options_.tree.children > 0 && table.classes() >= options_.tree.children &&
           options_.calibrate == Calibrate::kNone;
  }

  // Scores of a label tree are not compared with each other across groups, so each group is solved as a node would be.
  void solve_tree(std::size_t i) {
    const NodeTable& table = input_.tables[i];
    NodeClassifier& node = solved_[i];
    node.children = table.children;
    const auto rows = [&](const NodeTable& group) { return rows_of(i, group, input_.data, input_.features, scaling_); };
    const auto solve_group = [&](const NodeTable& group, std::uint64_t stream) {
      TrainingRows own = rows(group);
      const std::vector<double> weight = row_weights(input_, group, options_.class_weight);
      // Numbers of 32 bits that are far from those of the nodes.
      constexpr std::uint32_t kSpread = 0x9E3779B1;
      const std::uint32_t own_stream =
          static_cast<std::uint32_t>(table.node) + static_cast<std::uint32_t>(stream) * kSpread;
      NodeSolution solution = solver_.solve(group, own, weight, own_stream, ctx_);
      CLADE_CHECK(std::ranges::is_sorted(solution.order));
      scaling_.features.undo(own.features, solution.weights);
      if (!solution.has_converged) ++unsolved_groups_;
      return SolvedGroup{pruned(solution.weights, options_.pack.prune_for(input_.data)),
                         std::move(solution.weights.bias), std::move(own.features)};
    };
    // Weights of features on scales of their own may differ too much for bytes.
    const bool has_one_scale = is_sparse(input_.data.matrix()) && scaling_.features.is_none();
    node.tree =
        train_label_tree(table, rows, solve_group, has_one_scale ? GroupPrecision::kByte : GroupPrecision::kFloat,
                         options_.tree, input_.data.features(), *groups_, ctx_);
  }

  // Learns probabilities from the scores of held-out samples, fold by fold. Everything else that was learnt from all
  // samples (vocabulary, means, selection, scales) is learnt again without the fold; all nodes then share the folds.
  // Where nothing is, every node deals its own, and has its samples copied once for all.
  void calibrate_nodes() {
    const int folds = options_.calibration_folds;
    std::vector<CrossScores> scores(input_.tables.size());
    for_each_node([&](std::size_t i) { scores[i] = no_scores(input_.tables[i]); });
    if (input_.relearn || !scaling_.features.is_none()) {
      const std::vector<int> common = dealt_folds(input_.data, folds);
      Progress progress(ctx_, "calibrating", folds);
      for (int left_out = 0; left_out < folds; ++left_out) {
        add_relearnt_scores(left_out, common, scores);
        progress.advance();
      }
    } else {
      Progress progress(ctx_, "calibrating", std::ssize(input_.tables));
      for_each_node([&](std::size_t i) {
        if (input_.tables[i].classes() > 1) add_scores(i, scores[i]);
        progress.advance();
      });
    }
    for_each_node([&](std::size_t i) {
      if (input_.tables[i].classes() > 1) calibrate(input_.tables[i], scores[i], solved_[i]);
    });
  }

  void add_scores(std::size_t i, CrossScores& scores) {
    const NodeTable& table = input_.tables[i];
    const TrainingRows rows = rows_of(i, input_.data, input_.features, scaling_);
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    const std::vector<int> fold = dealt_folds(table, options_.calibration_folds);
    const double prune = options_.pack.prune_for(input_.data);
    parallel_for(ctx_, options_.calibration_folds, 1, [&](Index left_out, Index) {
      add_fold_scores(table, rows, weight, solver_, fold, static_cast<int>(left_out), prune, ctx_, scores);
    });
  }

  // `common` has the fold of every sample.
  void add_relearnt_scores(int left_out, const std::vector<int>& common, std::vector<CrossScores>& scores) {
    std::vector<Index> samples;
    for (std::size_t s = 0; s < common.size(); ++s) {
      if (common[s] != left_out) samples.push_back(static_cast<Index>(s));
    }
    if (samples.empty()) return;
    const RelearntFeatures learnt = input_.learnt_from(samples);
    const PreparedScale scaling = prepared_scale(learnt.data.subset(samples), scale_, ctx_);
    const double prune = options_.pack.prune_for(input_.data);
    for_each_node([&](std::size_t i) {
      const NodeTable& table = input_.tables[i];
      if (table.classes() == 1) return;
      std::vector<int> fold;
      for (const Index s : table.rows) fold.push_back(common[static_cast<std::size_t>(s)]);
      add_fold_scores(table, rows_of(i, learnt.data, learnt.features, scaling),
                      row_weights(input_, table, options_.class_weight), solver_, fold, left_out, prune, ctx_,
                      scores[i]);
    });
  }

  void calibrate(const NodeTable& table, const CrossScores& scores, NodeClassifier& node) const {
    if (options_.calibrate == Calibrate::kTemperature) {
      node.temperature = temperature_of(scores, table);
      return;
    }
    node.calibration.resize(static_cast<std::size_t>(table.classes()));
    parallel_for(ctx_, table.classes(), 1, [&](Index c, Index) {
      node.calibration[static_cast<std::size_t>(c)] =
          calibration_of(scores, table, c, options_.calibrate == Calibrate::kIsotonic);
    });
    CrossScores logarithms = scores;
    for (auto& row : logarithms) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = log_probability(node.calibration[c], row[c]);
    }
    node.temperature = temperature_of(logarithms, table);
  }

  ModelBody collect() {
    ModelBody model;
    model.kind = ModelKind::kTopDown;
    model.has_unit_rows = scaling_.has_unit_rows;
    model.has_probabilities = options_.calibrate != Calibrate::kNone;
    Index weights = 0;
    for (NodeClassifier& node : solved_) {
      if (node.node == kNoNode) continue;
      weights += node.linear.offsets.empty() ? 0 : node.linear.offsets.back();
      if (node.tree) weights += node.tree->weights;
      model.nodes.push_back(std::move(node));
    }
    model.summary.emplace_back("weights", fmt::format("{}", weights));
    if (unsolved_ > 0)
      model.summary.emplace_back("nodes that reached the limit of passes", fmt::format("{}", unsolved_.load()));
    if (unsolved_groups_ > 0) {
      model.summary.emplace_back("groups of label trees that reached the limit of passes",
                                 fmt::format("{}", unsolved_groups_.load()));
    }
    model.storage = storage_;
    using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const PackedGroups>>;
    model.storage = std::make_shared<const Both>(model.storage, groups_);
    return model;
  }

  const TrainingInput& input_;
  const NodeSolver& solver_;
  const LocalOptions& options_;
  Context& ctx_;
  Scale scale_;
  PreparedScale scaling_;
  std::shared_ptr<std::vector<PackedWeights>> storage_;  // per table
  std::shared_ptr<PackedGroups> groups_ = std::make_shared<PackedGroups>();
  std::vector<NodeClassifier> solved_;
  std::atomic<Index> unsolved_ = 0;
  std::atomic<Index> unsolved_groups_ = 0;
};

}  // namespace

ModelBody train_top_down(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options,
                         Context& ctx) {
  return Trainer(input, solver, options, ctx).train();
}

}  // namespace clade

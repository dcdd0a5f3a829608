#include "classify/local/top_down.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "classify/local/calibration.h"
#include "classify/local/cross_scores.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

// Scores of an SVM are margins around 1; a softmax of four times them comes close to probabilities.
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
        scaling_(prepared_scale(input.data, options.scale, ctx)),
        storage_(std::make_shared<PackedWeights>()) {}

  ModelBody train() {
    std::vector<std::size_t> order;
    double total = 0;
    for (std::size_t i = 0; i < input_.tables.size(); ++i) {
      if (input_.tables[i].samples() == 0) continue;
      order.push_back(i);
      total += work(i);
    }
    // The largest first: they decide when all is done.
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return work(a) != work(b) ? work(a) > work(b) : a < b; });
    solved_.resize(input_.tables.size());
    Progress progress(ctx_, "training", std::ssize(order));
    std::size_t done = 0;
    // A node that alone is much of the work has the threads to itself.
    while (done < order.size() && work(order[done]) * 4 * ctx_.threads() > total) {
      solve(order[done++]);
      progress.advance();
    }
    parallel_for(ctx_, std::ssize(order) - static_cast<Index>(done), 1, [&](Index k, Index) {
      solve(order[done + static_cast<std::size_t>(k)]);
      progress.advance();
    });
    return collect();
  }

 private:
  double work(std::size_t i) const {
    const NodeTable& table = input_.tables[i];
    return static_cast<double>(table.samples()) * static_cast<double>(table.classes());
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
    const std::vector<FeatureIndex> no_choice;
    const auto& features = input_.features.empty() ? no_choice : input_.features[i];
    const TrainingRows rows =
        training_rows(input_.data, table.rows,
                      {.features = features, .has_unit_length = scaling_.has_unit_rows, .scale = &scaling_.features});
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    NodeSolution solution = solver_.solve(table, rows, weight, static_cast<std::uint64_t>(table.node), ctx_);
    for (const std::int32_t child : solution.order) {
      node.children.push_back(table.children[static_cast<std::size_t>(child)]);
    }
    node.decision = solution.decision;
    if (options_.calibrate != Calibrate::kNone) calibrate(table, rows, weight, node);
    scaling_.features.undo(rows.features, solution.weights);
    const std::vector<SparseOutput> kept = pruned(solution.weights, options_.pack.prune_for(input_.data));
    const std::scoped_lock lock(mutex_);
    node.linear = storage_->pack(kept, solution.weights.bias, rows.features, options_.pack.precision);
    unsolved_ += solution.has_converged ? 0 : 1;
  }

  void calibrate(const NodeTable& table, const TrainingRows& rows, const std::vector<double>& weight,
                 NodeClassifier& node) const {
    const CrossScores scores = cross_scores(table, rows, weight, solver_, options_.calibration_folds,
                                            options_.pack.prune_for(input_.data), ctx_);
    if (options_.calibrate == Calibrate::kTemperature) {
      node.temperature = temperature_of(scores, table);
      return;
    }
    for (Index c = 0; c < table.classes(); ++c) {
      node.calibration.push_back(calibration_of(scores, table, c, options_.calibrate == Calibrate::kIsotonic));
    }
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
      model.nodes.push_back(std::move(node));
    }
    model.summary.emplace_back("weights", fmt::format("{}", weights));
    if (unsolved_ > 0)
      model.summary.emplace_back("nodes that reached the limit of passes", fmt::format("{}", unsolved_));
    model.storage = storage_;
    return model;
  }

  const TrainingInput& input_;
  const NodeSolver& solver_;
  const LocalOptions& options_;
  Context& ctx_;
  PreparedScale scaling_;
  std::shared_ptr<PackedWeights> storage_;
  std::vector<NodeClassifier> solved_;
  std::mutex mutex_;
  Index unsolved_ = 0;
};

}  // namespace

ModelBody train_top_down(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options,
                         Context& ctx) {
  return Trainer(input, solver, options, ctx).train();
}

}  // namespace clade

#include "classify/local/top_down.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "classify/local/blocked_rows.h"
#include "classify/local/calibration.h"
#include "classify/local/cross_scores.h"
#include "classify/local/node_bytes.h"
#include "classify/local/solved_outputs.h"
#include "comm/owned_tasks.h"
#include "comm/tasks.h"
#include "core/check.h"
#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "data/row_exchange.h"
#include "math/lbfgs.h"

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

Scale scale_of(const Dataset& data, Scale choice) {
  if (data.row_parts() && choice == Scale::kAuto && !is_sparse(data.matrix())) {
    throw usage_error("`scale` auto looks at the values of all samples", "expected `scale` none or unit");
  }
  return linear_scale(data, choice);
}

class Trainer {
 public:
  Trainer(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options, Context& ctx)
      : input_(input),
        solver_(solver),
        options_(options),
        ctx_(ctx),
        data_(input.data),
        scale_(scale_of(input.data, options.scale)),
        scaling_(prepared_scale(input.data, scale_, ctx)),
        storage_(std::make_shared<std::vector<PackedWeights>>(input.tables.size())) {}

  ModelBody train() {
    solved_.resize(input_.tables.size());
    if (input_.data.row_parts()) {
      Team alone(std::make_shared<Alone>());
      solve_row_parts(ctx_.team() != nullptr ? *ctx_.team() : alone);
    } else if (Team* const team = team_of(ctx_)) {
      solve_together(*team);
    } else {
      Progress progress(ctx_, "training", std::ssize(input_.tables));
      for_each_node([&](std::size_t i) {
        if (!solve(i)) ++unsolved_;
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

  std::vector<std::size_t> nodes_with_samples() const {
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < input_.tables.size(); ++i) {
      if (input_.tables[i].samples() > 0) nodes.push_back(i);
    }
    return nodes;
  }

  // Calls work on every node that has samples, the largest first: they determine the total time. Threads that find no
  // node left help with the loops inside those that are still worked on.
  template <class Work>
  void for_each_node(const Work& work_on) {
    std::vector<std::size_t> order = nodes_with_samples();
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return work(a) != work(b) ? work(a) > work(b) : a < b; });
    parallel_for(ctx_, std::ssize(order), 1, [&](Index k, Index) { work_on(order[static_cast<std::size_t>(k)]); });
  }

  // Every process of the team solves some of the nodes, or some parts of a large one; of a label tree, some groups.
  void solve_together(Team& team) {
    struct Part {
      std::size_t i;
      Index part;
      Index parts;
    };
    std::vector<Part> parts;
    SharedTasks tasks{.name = "nodes", .cost = {}, .threads = {}};
    for (const std::size_t i : nodes_with_samples()) {
      const NodeTable& table = input_.tables[i];
      if (has_tree(table)) {
        solve(i);
        continue;
      }
      const Index count = solver_.parts(table);
      for (Index part = 0; part < count; ++part) {
        parts.push_back({i, part, count});
        tasks.cost.push_back(work(i) / static_cast<double>(count));
        tasks.threads.push_back(count > 1 ? 1 : threads_for(table));
      }
    }
    const std::vector<std::string> found = run_tasks(
        team, tasks,
        [&](Index k) {
          const Part& own = parts[static_cast<std::size_t>(k)];
          return own.parts == 1 ? solved_bytes(own.i) : part_bytes(own.i, own.part);
        },
        ctx_, input_.results_for);
    latest_rows_ = {};
    if (found.empty()) return;
    for (std::size_t k = 0; k < parts.size(); k += static_cast<std::size_t>(parts[k].parts)) {
      const auto count = static_cast<std::size_t>(parts[k].parts);
      count == 1 ? take_node(parts[k].i, found[k]) : take_parts(parts[k].i, std::span(found).subspan(k, count));
    }
  }

  // How many threads have something to do in a node at the same time.
  static int threads_for(const NodeTable& table) {
    constexpr Index kTogether = 16;  // children are solved in groups
    return static_cast<int>(chunk_count(table.classes(), kTogether));
  }

  std::string part_bytes(std::size_t i, Index part) {
    ctx_.check_cancelled();
    const NodeTable& table = input_.tables[i];
    const std::shared_ptr<const TrainingRows> rows = rows_for_parts(i);
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    const auto stream = static_cast<std::uint64_t>(table.node);
    ByteWriter bytes;
    put(bytes, outputs_of(table, rows->features, solver_.solve_part(table, *rows, weight, stream, part, ctx_)));
    return bytes.take();
  }

  // Threads that solve parts of the same node use the same rows.
  std::shared_ptr<const TrainingRows> rows_for_parts(std::size_t i) {
    const std::lock_guard lock(latest_mutex_);
    if (latest_rows_ == nullptr || latest_node_ != i) {
      latest_rows_.reset();
      latest_rows_ = std::make_shared<const TrainingRows>(
          rows_of(i, input_.tables[i], data_, input_.features, scaling_, solver_.takes_made_rows()));
      latest_node_ = i;
    }
    return latest_rows_;
  }

  void take_parts(std::size_t i, std::span<const std::string> found) {
    ByteReader first(found[0]);
    SolvedOutputs outputs = get_outputs(first);
    for (const std::string& bytes : found.subspan(1)) {
      ByteReader more(bytes);
      outputs.append(get_outputs(more));
    }
    begin_node(i);
    unsolved_ += outputs.has_converged ? 0 : 1;
    keep(i, std::move(outputs));
  }

  // Where each process has some of the rows: nodes with many samples by all processes together, each with blocks of
  // their rows; each of the others by one process, which gets its rows.
  void solve_row_parts(Team& team) {
    std::vector<SharedNode> large;
    SharedTasks small{.name = "nodes", .cost = {}, .threads = {}};
    std::vector<std::size_t> place;
    for (const std::size_t i : nodes_with_samples()) {
      if (is_solved_in_blocks(i)) {
        require_memory(i);
        large.push_back({i, BlockedRows(input_.data, input_.tables[i], features_of(i), team)});
      } else {
        place.push_back(i);
        small.cost.push_back(work(i));
      }
    }
    OwnedTasks tasks(team, small);
    WantedRows wanted(*input_.data.row_parts());
    for (const SharedNode& node : large) node.rows.want(wanted);
    for (const std::size_t k : tasks.open()) {
      for (const Index sample : input_.tables[place[k]].rows) wanted.add(tasks.owner(k), sample);
    }
    data_ = with_rows(input_.data, wanted.rows(), team);
    for (const SharedNode& node : large) {
      take_node(node.i, run_together(team, "node", [&] { return solve_in_blocks(node); }));
    }
    const std::vector<std::string> found =
        tasks.run([&](std::size_t k) { return solved_bytes(place[k]); }, ctx_, input_.results_for);
    for (std::size_t k = 0; k < found.size(); ++k) take_node(place[k], found[k]);
  }

  struct SharedNode {
    std::size_t i;
    BlockedRows rows;
  };

  bool is_solved_in_blocks(std::size_t i) const {
    // A share that suits most machines: what is solved in blocks takes more steps.
    constexpr Index kSmallShare = 16;
    const NodeTable& table = input_.tables[i];
    return table.classes() > 1 && !has_tree(table) && table.samples() * kSmallShare > input_.data.samples() &&
           solver_.takes_blocks();
  }

  std::span<const FeatureIndex> features_of(std::size_t i) const {
    return input_.features.empty() ? std::span<const FeatureIndex>() : input_.features[i];
  }

  std::string solve_in_blocks(const SharedNode& node) {
    ctx_.check_cancelled();
    const NodeTable& table = input_.tables[node.i];
    begin_node(node.i);
    RowBlocks blocks = node.rows.blocks(data_, row_weights(input_, table, options_.class_weight),
                                        {.has_unit_length = scaling_.has_unit_rows, .scale = &scaling_.features}, ctx_);
    const std::vector<FeatureIndex> features = blocks.features;
    NodeSolution solution = solver_.solve_blocks(table, std::move(blocks), ctx_);
    const bool has_converged = solution.has_converged;
    keep(node.i, outputs_of(table, features, std::move(solution)));
    return handed_over(node.i, has_converged);
  }

  // Solving in blocks has vectors of all weights, in every process.
  void require_memory(std::size_t i) const {
    constexpr double kVectors = 2 * LbfgsOptions().history + 8;
    const NodeTable& table = input_.tables[i];
    const Index features = input_.features.empty() ? input_.data.features() : std::ssize(features_of(i));
    const double needed =
        kVectors * sizeof(double) * static_cast<double>(features) * static_cast<double>(table.classes());
    const double limit = default_memory_limit();
    if (needed <= limit) return;
    throw usage_error(fmt::format("a node of {} classes with {} features needs {} in every process", table.classes(),
                                  features, bytes_text(needed)),
                      fmt::format("expected at most {}, the limit of memory, or fewer features", bytes_text(limit)));
  }

  // The solved node as bytes; its memory is free then.
  std::string solved_bytes(std::size_t i) {
    const bool has_converged = solve(i);
    return handed_over(i, has_converged);
  }

  std::string handed_over(std::size_t i, bool has_converged) {
    ByteWriter bytes;
    put(bytes, solved_[i]);
    bytes.put(has_converged);
    solved_[i] = {};
    (*storage_)[i] = {};
    return bytes.take();
  }

  void take_node(std::size_t i, std::string_view found) {
    ByteReader bytes(found);
    solved_[i] = get_node(bytes, input_.data.features(), (*storage_)[i], *groups_);
    unsolved_ += bytes.get<bool>() ? 0 : 1;
  }

  TrainingRows rows_of(std::size_t i, const Dataset& data, const std::vector<std::vector<FeatureIndex>>& features,
                       const PreparedScale& scaling) const {
    return rows_of(i, input_.tables[i], data, features, scaling);
  }
  // Of some of the samples of a node.
  TrainingRows rows_of(std::size_t i, const NodeTable& table, const Dataset& data,
                       const std::vector<std::vector<FeatureIndex>>& features, const PreparedScale& scaling,
                       bool may_be_made = false) const {
    RowOptions options{
        .has_unit_length = scaling.has_unit_rows, .scale = &scaling.features, .may_be_made = may_be_made};
    if (!features.empty()) options.features = features[i];
    return training_rows(data, table.rows, options, ctx_);
  }

  NodeClassifier& begin_node(std::size_t i) {
    const NodeTable& table = input_.tables[i];
    NodeClassifier& node = solved_[i];
    node.node = table.node;
    node.samples = table.samples();
    node.temperature = kMarginTemperature;
    return node;
  }

  // Has it converged?
  bool solve(std::size_t i) {
    ctx_.check_cancelled();
    const NodeTable& table = input_.tables[i];
    NodeClassifier& node = begin_node(i);
    if (table.classes() == 1) {
      node.children = table.children;
      return true;
    }
    if (has_tree(table)) {
      solve_tree(i);
      return true;
    }
    const TrainingRows rows = rows_of(i, table, data_, input_.features, scaling_, solver_.takes_made_rows());
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    NodeSolution solution = solver_.solve(table, rows, weight, static_cast<std::uint64_t>(table.node), ctx_);
    const bool has_converged = solution.has_converged;
    keep(i, outputs_of(table, rows.features, std::move(solution)));
    return has_converged;
  }

  // Of the features as they are, not as they were scaled.
  SolvedOutputs outputs_of(const NodeTable& table, const std::vector<FeatureIndex>& features,
                           NodeSolution solution) const {
    SolvedOutputs outputs{.decision = solution.decision, .features = features};
    for (const std::int32_t child : solution.order) {
      outputs.children.push_back(table.children[static_cast<std::size_t>(child)]);
    }
    scaling_.features.undo(features, solution.weights);
    const double prune = options_.pack.prune_for(input_.data);
    outputs.weights.resize(solution.weights.w.size());
    parallel_for(ctx_, std::ssize(outputs.weights), 1, [&](Index o, Index) {
      const auto at = static_cast<std::size_t>(o);
      outputs.weights[at] = pruned(solution.weights.w[at], prune);
    });
    outputs.bias = std::move(solution.weights.bias);
    outputs.has_converged = solution.has_converged;
    return outputs;
  }

  void keep(std::size_t i, SolvedOutputs outputs) {
    NodeClassifier& node = solved_[i];
    node.children = std::move(outputs.children);
    node.decision = outputs.decision;
    node.linear = (*storage_)[i].pack(outputs.weights, outputs.bias, outputs.features, options_.pack.precision);
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
    const auto rows = [&](const NodeTable& group) { return rows_of(i, group, data_, input_.features, scaling_); };
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
      return SolvedGroup{pruned(solution.weights, options_.pack.prune_for(input_.data)),
                         std::move(solution.weights.bias), std::move(own.features), solution.has_converged};
    };
    // Weights of features on scales of their own may differ too much for bytes.
    const bool has_one_scale = is_sparse(input_.data.matrix()) && scaling_.features.is_none();
    Index unsolved = 0;
    node.tree =
        train_label_tree(table, rows, solve_group, has_one_scale ? GroupPrecision::kByte : GroupPrecision::kFloat,
                         options_.tree, input_.data.features(), *groups_, unsolved, ctx_, input_.results_for);
    unsolved_groups_ += unsolved;
  }

  // Learns probabilities from the scores of held-out samples, fold by fold. Everything else that was learnt from all
  // samples (vocabulary, means, selection, scales) is learnt again without the fold; all nodes then share the folds.
  // Where nothing is, every node deals its own, and has its samples copied once for all.
  void calibrate_nodes() {
    const int folds = options_.calibration_folds;
    std::vector<CrossScores> scores(input_.tables.size());
    for_each_node([&](std::size_t i) { scores[i] = no_scores(input_.tables[i]); });
    Team* const team = team_of(ctx_);
    if (input_.relearn || !scaling_.features.is_none()) {
      const std::vector<int> common = dealt_folds(input_.data, folds);
      Progress progress(ctx_, "calibrating", folds);
      for (int left_out = 0; left_out < folds; ++left_out) {
        add_relearnt_scores(left_out, common, team, scores);
        progress.advance();
      }
    } else if (team != nullptr) {
      share_scores(
          *team, 0, folds, [&](std::size_t i) { return dealt_folds(input_.tables[i], folds); },
          [&](std::size_t i, int left_out, CrossScores& own) { add_scores(i, left_out, 1, own); }, scores);
    } else {
      Progress progress(ctx_, "calibrating", std::ssize(input_.tables));
      for_each_node([&](std::size_t i) {
        if (input_.tables[i].classes() > 1) add_scores(i, 0, folds, scores[i]);
        progress.advance();
      });
    }
    if (team != nullptr && !team->leads() && input_.results_for == ResultsFor::kLeader) return;
    for_each_node([&](std::size_t i) {
      if (input_.tables[i].classes() > 1) calibrate(input_.tables[i], scores[i], solved_[i]);
    });
  }

  // Those of some folds.
  void add_scores(std::size_t i, int first, int count, CrossScores& scores) {
    const NodeTable& table = input_.tables[i];
    const TrainingRows rows = rows_of(i, input_.data, input_.features, scaling_);
    const std::vector<double> weight = row_weights(input_, table, options_.class_weight);
    const std::vector<int> fold = dealt_folds(table, options_.calibration_folds);
    const double prune = options_.pack.prune_for(input_.data);
    parallel_for(ctx_, count, 1, [&](Index k, Index) {
      add_fold_scores(table, rows, weight, solver_, fold, first + static_cast<int>(k), prune, ctx_, scores);
    });
  }

  // `common` has the fold of every sample.
  void add_relearnt_scores(int left_out, const std::vector<int>& common, Team* team, std::vector<CrossScores>& scores) {
    std::vector<Index> samples;
    for (std::size_t s = 0; s < common.size(); ++s) {
      if (common[s] != left_out) samples.push_back(static_cast<Index>(s));
    }
    if (samples.empty()) return;
    const RelearntFeatures learnt = input_.learnt_from(samples);
    const PreparedScale scaling = prepared_scale(learnt.data.subset(samples), scale_, ctx_);
    const double prune = options_.pack.prune_for(input_.data);
    const auto fold_of = [&](std::size_t i) {
      std::vector<int> fold;
      for (const Index s : input_.tables[i].rows) fold.push_back(common[static_cast<std::size_t>(s)]);
      return fold;
    };
    const auto add = [&](std::size_t i, int /*left_out*/, CrossScores& own) {
      const NodeTable& table = input_.tables[i];
      add_fold_scores(table, rows_of(i, learnt.data, learnt.features, scaling),
                      row_weights(input_, table, options_.class_weight), solver_, fold_of(i), left_out, prune, ctx_,
                      own);
    };
    if (team != nullptr) return share_scores(*team, left_out, 1, fold_of, add, scores);
    for_each_node([&](std::size_t i) {
      if (input_.tables[i].classes() > 1) add(i, left_out, scores[i]);
    });
  }

  // Of all nodes in some folds, each by one process of the team. add(i, fold, scores) sets the scores of the samples
  // that `fold_of`(i) puts into that fold.
  template <class FoldOf, class Add>
  void share_scores(Team& team, int first, int count, const FoldOf& fold_of, const Add& add,
                    std::vector<CrossScores>& scores) {
    std::vector<std::pair<std::size_t, int>> parts;
    SharedTasks tasks{.name = "scores", .cost = {}, .threads = {}};
    for (const std::size_t i : nodes_with_samples()) {
      if (input_.tables[i].classes() == 1) continue;
      for (int left_out = first; left_out < first + count; ++left_out) {
        parts.emplace_back(i, left_out);
        tasks.cost.push_back(work(i));
        tasks.threads.push_back(threads_for(input_.tables[i]));
      }
    }
    const auto for_each_row = [&](std::size_t k, CrossScores& all, const auto& visit) {
      const auto [i, left_out] = parts[k];
      const std::vector<int> fold = fold_of(i);
      for (std::size_t r = 0; r < fold.size(); ++r) {
        if (fold[r] == left_out) visit(all[r]);
      }
    };
    const std::vector<std::string> found = run_tasks(
        team, tasks,
        [&](Index task) {
          const auto k = static_cast<std::size_t>(task);
          CrossScores own = no_scores(input_.tables[parts[k].first]);
          add(parts[k].first, parts[k].second, own);
          ByteWriter bytes;
          for_each_row(k, own, [&](const std::vector<double>& row) { bytes.put(row); });
          return bytes.take();
        },
        ctx_, input_.results_for);
    for (std::size_t k = 0; k < found.size(); ++k) {
      ByteReader bytes(found[k]);
      for_each_row(k, scores[parts[k].first], [&](std::vector<double>& row) { bytes.get(row); });
    }
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
  Dataset data_;  // to train the nodes on
  Scale scale_;
  PreparedScale scaling_;
  std::shared_ptr<std::vector<PackedWeights>> storage_;  // per table
  std::shared_ptr<PackedGroups> groups_ = std::make_shared<PackedGroups>();
  std::vector<NodeClassifier> solved_;
  std::atomic<Index> unsolved_ = 0;
  std::atomic<Index> unsolved_groups_ = 0;
  std::mutex latest_mutex_;
  std::size_t latest_node_ = 0;
  std::shared_ptr<const TrainingRows> latest_rows_;
};

}  // namespace

ModelBody train_top_down(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options,
                         Context& ctx) {
  return Trainer(input, solver, options, ctx).train();
}

}  // namespace clade

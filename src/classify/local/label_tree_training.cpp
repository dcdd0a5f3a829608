#include "classify/local/label_tree_training.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "classify/local/label_groups.h"
#include "comm/tasks.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

// How often the children are halved on the way to each level of groups; the first is 0, for the top group.
std::vector<int> level_halvings(Index children, const LabelTreeOptions& options) {
  int all = 0;
  while ((children + (Index{1} << all) - 1) >> all > options.group) ++all;
  const int most = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(options.branches))) - 1);
  const int levels = (all + most - 1) / most;
  std::vector<int> halvings{0};
  for (int level = 1; level <= levels; ++level) halvings.push_back(level * all / levels);
  return halvings;
}

// The tables of all groups of one level. `group` has the group of every child, `branch` the number within it of what
// leads to the child.
std::vector<NodeTable> level_tables(const NodeTable& table, std::size_t groups, std::span<const std::int32_t> group,
                                    std::span<const std::int32_t> branch) {
  std::vector<NodeTable> tables(groups);
  std::vector<std::pair<std::int32_t, std::int32_t>> of_row;
  for (Index r = 0; r < table.samples(); ++r) {
    of_row.clear();
    for (const std::int32_t child : table.labels(r)) {
      of_row.emplace_back(group[static_cast<std::size_t>(child)], branch[static_cast<std::size_t>(child)]);
    }
    std::ranges::sort(of_row);
    const auto repeated = std::ranges::unique(of_row);
    of_row.erase(repeated.begin(), repeated.end());
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      NodeTable& own = tables[static_cast<std::size_t>(of_row[k].first)];
      if (k == 0 || of_row[k].first != of_row[k - 1].first) {
        own.rows.push_back(table.rows[static_cast<std::size_t>(r)]);
        own.offsets.push_back(own.offsets.back());
      }
      own.columns.push_back(of_row[k].second);
      ++own.offsets.back();
    }
  }
  return tables;
}

struct GroupFacts {
  Index weights = 0;
  bool has_converged = true;
};

class TreeTrainer {
 public:
  TreeTrainer(const NodeTable& table, const GroupSolver& solve, GroupPrecision precision,
              const LabelTreeOptions& options, Context& ctx, ResultsFor whom)
      : table_(table),
        solve_(solve),
        precision_(precision),
        ctx_(ctx),
        whom_(whom),
        halvings_(level_halvings(table.classes(), options)),
        tree_(std::make_shared<LabelTree>()) {
    tree_->beam = options.beam;
  }

  std::shared_ptr<LabelTree> train(const std::function<TrainingRows(const NodeTable&)>& rows, PackedGroups& storage) {
    tree_->order = order_by_similarity(table_, rows(table_), halvings_.back(), ctx_.seed(), ctx_);
    Index groups = 0;
    for (const int halvings : halvings_) groups += Index{1} << halvings;
    Progress progress(ctx_, "training groups", groups);
    for (std::size_t level = 0; level < halvings_.size(); ++level) train_level(level, progress);
    if (!has_all_groups_) return nullptr;
    for (std::vector<std::uint8_t>& bytes : packed_) {
      tree_->checksum.push_back(group_checksum(bytes));
      tree_->packed.push_back(storage.keep(bytes));
      bytes = {};
    }
    return tree_;
  }
  Index unsolved() const { return unsolved_; }

 private:
  void train_level(std::size_t level, Progress& progress) {
    const auto count = static_cast<std::int32_t>(table_.classes());
    const bool is_last = level + 1 == halvings_.size();
    const std::vector<std::int32_t> bounds = halving_bounds(count, halvings_[level]);
    // What a group chooses among: parts of the next level, or single children.
    const std::vector<std::int32_t> below =
        is_last ? std::vector<std::int32_t>() : halving_bounds(count, halvings_[level + 1]);
    const std::int32_t fan = is_last ? 0 : 1 << (halvings_[level + 1] - halvings_[level]);
    const std::size_t groups = bounds.size() - 1;
    std::vector<std::int32_t> group(tree_->order.size());
    std::vector<std::int32_t> branch(tree_->order.size());
    std::size_t part = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::int32_t k = bounds[g]; k < bounds[g + 1]; ++k) {
        while (!is_last && k >= below[part + 1]) ++part;
        const auto child = static_cast<std::size_t>(tree_->order[static_cast<std::size_t>(k)]);
        group[child] = static_cast<std::int32_t>(g);
        branch[child] = is_last ? k - bounds[g] : static_cast<std::int32_t>(part) % fan;
      }
    }
    std::vector<NodeTable> tables = level_tables(table_, groups, group, branch);
    const std::size_t first = packed_.size();
    packed_.resize(first + groups);
    std::vector<GroupFacts> facts(groups);
    const auto train_group = [&](std::size_t g) {
      ctx_.check_cancelled();
      NodeTable& own = tables[g];
      const std::int32_t outputs = is_last ? bounds[g + 1] - bounds[g] : fan;
      own.node = table_.node;
      for (std::int32_t o = 0; o < outputs; ++o) own.children.push_back(o);
      const SolvedGroup solved = solve_(own, first + g + 1);
      for (const SparseOutput& output : solved.weights) facts[g].weights += std::ssize(output);
      facts[g].has_converged = solved.has_converged;
      packed_[first + g] = packed_group(solved.weights, solved.bias, solved.features, precision_);
      own = {};
      progress.advance();
    };
    if (Team* const team = team_of(ctx_)) {
      share_groups(*team, tables, first, facts, train_group);
      return add_level(level, bounds, fan, facts);
    }
    // The few groups of the first levels have many samples: one after the other, with all threads for each.
    constexpr std::size_t kFewGroups = 16;
    if (groups <= kFewGroups) {
      for (std::size_t g = 0; g < groups; ++g) train_group(g);
    } else {
      parallel_for(ctx_, static_cast<Index>(groups), 1,
                   [&](Index g, Index) { train_group(static_cast<std::size_t>(g)); });
    }
    add_level(level, bounds, fan, facts);
  }

  void add_level(std::size_t level, const std::vector<std::int32_t>& bounds, std::int32_t fan,
                 const std::vector<GroupFacts>& facts) {
    const bool is_last = level + 1 == halvings_.size();
    for (std::size_t g = 0; g < facts.size(); ++g) {
      const std::int32_t outputs = is_last ? bounds[g + 1] - bounds[g] : fan;
      tree_->offsets.push_back(tree_->offsets.back() + static_cast<std::uint32_t>(outputs));
      tree_->weights += facts[g].weights;
      unsolved_ += facts[g].has_converged ? 0 : 1;
    }
  }

  // Each group is trained by one process of the team.
  template <class TrainGroup>
  void share_groups(Team& team, const std::vector<NodeTable>& tables, std::size_t first, std::vector<GroupFacts>& facts,
                    const TrainGroup& train_group) {
    SharedTasks tasks{.name = "groups", .cost = {}, .threads = {}};
    for (const NodeTable& table : tables) tasks.cost.push_back(static_cast<double>(std::ssize(table.columns)));
    const std::vector<std::string> found = run_tasks(
        team, tasks,
        [&](Index group) {
          const auto g = static_cast<std::size_t>(group);
          train_group(g);
          return ByteWriter().put(std::exchange(packed_[first + g], {})).put(facts[g]).take();
        },
        ctx_, whom_);
    has_all_groups_ = found.size() == tables.size();
    for (std::size_t g = 0; g < found.size(); ++g) ByteReader(found[g]).get(packed_[first + g]).get(facts[g]);
  }

  const NodeTable& table_;
  const GroupSolver& solve_;
  GroupPrecision precision_;
  Context& ctx_;
  ResultsFor whom_;
  std::vector<int> halvings_;
  std::shared_ptr<LabelTree> tree_;
  std::vector<std::vector<std::uint8_t>> packed_;
  bool has_all_groups_ = true;  // and not only those that this process has trained
  Index unsolved_ = 0;          // groups
};

}  // namespace

std::span<const std::uint8_t> PackedGroups::keep(const std::vector<std::uint8_t>& bytes) {
  std::vector<double> own((bytes.size() + sizeof(double) - 1) / sizeof(double), 0.0);
  std::memcpy(own.data(), bytes.data(), bytes.size());
  const std::span<const std::uint8_t> kept(reinterpret_cast<const std::uint8_t*>(own.data()), bytes.size());
  const std::scoped_lock lock(mutex_);
  kept_.push_back(std::move(own));
  return kept;
}

std::shared_ptr<const LabelTree> train_label_tree(const NodeTable& table,
                                                  const std::function<TrainingRows(const NodeTable&)>& rows,
                                                  const GroupSolver& solve, GroupPrecision precision,
                                                  const LabelTreeOptions& options, Index features,
                                                  PackedGroups& storage, Index& unsolved, Context& ctx,
                                                  ResultsFor whom) {
  TreeTrainer trainer(table, solve, precision, options, ctx, whom);
  const std::shared_ptr<LabelTree> tree = trainer.train(rows, storage);
  if (tree != nullptr) tree->prepare(features);
  unsolved = trainer.unsolved();
  return tree;
}

}  // namespace clade

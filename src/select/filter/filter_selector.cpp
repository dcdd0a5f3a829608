#include "select/filter/filter_selector.h"

#include <algorithm>
#include <iterator>

#include "comm/owned_tasks.h"
#include "comm/tasks.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "data/row_exchange.h"
#include "select/ranking.h"

namespace clade {
namespace {

// About a tenth of a second. Below it, waking threads inside a node costs more than it gains.
constexpr double kLargeNode = 1e8;
std::vector<const NodeTable*> tables_asked_for(const SelectionInput& input) {
  std::vector<const NodeTable*> tables;
  for (const NodeTable& table : input.tables) {
    if (input.is_asked_for(table.node)) tables.push_back(&table);
  }
  return tables;
}

NodeRanking in_feature_order(const Dataset& data, const NodeTable& table) {
  return rank_features(table, std::vector<double>(static_cast<std::size_t>(data.features()), 0.0));
}

void add_to(std::vector<double>& total, const std::vector<double>& part) {
  total.resize(std::max(total.size(), part.size()), 0.0);
  std::transform(part.begin(), part.end(), total.begin(), total.begin(), std::plus<>());
}

}  // namespace

void put(ByteWriter& bytes, const NodeRanking& node) {
  bytes.put(node.node).put(node.ranking).put(node.weight).put(node.common).put(node.samples).put(node.children);
}

void get(ByteReader& bytes, NodeRanking& node) {
  bytes.get(node.node).get(node.ranking).get(node.weight).get(node.common).get(node.samples).get(node.children);
}

std::string table_name(const Dataset& data, const NodeTable& table) {
  return table.node == kNoNode ? "the whole data set" : data.taxonomy().name(table.node);
}

std::vector<NodeRanking> FilterSelector::rank_together(const Dataset& /*data*/,
                                                       std::span<const NodeTable* const> /*tables*/,
                                                       Context& /*ctx*/) const {
  return {};
}

SharedTasks FilterSelector::shared_tasks(const Dataset& data, std::span<const NodeTable* const> tables,
                                         Index top) const {
  SharedTasks tasks{.name = "rankings", .cost = {}, .threads = {}};
  for (const NodeTable* const table : tables) tasks.cost.push_back(operations(data, *table, top));
  return tasks;
}

std::vector<NodeRanking> FilterSelector::rank_columns(const Columns& /*columns*/,
                                                      std::span<const NodeTable* const> /*tables*/, Index /*top*/,
                                                      Context& /*ctx*/) const {
  CLADE_CHECK(false);  // only methods that take row parts are asked
  return {};
}

std::vector<NodeRanking> FilterSelector::rank_row_parts(const Dataset& data, std::span<const NodeTable* const> tables,
                                                        Index top, Context& ctx) const {
  Team& team = *team_of(ctx);
  std::vector<std::size_t> place;  // of every table, among the large or the small ones
  std::vector<const NodeTable*> large;
  std::vector<const NodeTable*> small;
  for (const NodeTable* const table : tables) {
    auto& some = is_ranked_by_columns(data, *table) ? large : small;
    place.push_back(some.size());
    some.push_back(table);
  }
  std::vector<NodeRanking> of_large;
  if (!large.empty()) {
    const std::vector<Index> first = equal_columns(data, team);
    const Dataset own = with_columns(data, first, team);
    const Columns columns{own, first[static_cast<std::size_t>(team.rank())], data.features(), team};
    of_large = rank_columns(columns, large, top, ctx);
  }
  std::vector<NodeRanking> of_small = rank_by_owners(data, small, top, team, ctx);
  std::vector<NodeRanking> rankings;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    auto& some = is_ranked_by_columns(data, *tables[k]) ? of_large : of_small;
    rankings.push_back(std::move(some[place[k]]));
  }
  return rankings;
}

// Each table by one process, which gets its rows.
std::vector<NodeRanking> FilterSelector::rank_by_owners(const Dataset& data, std::span<const NodeTable* const> tables,
                                                        Index top, Team& team, Context& ctx) const {
  if (tables.empty()) return {};
  OwnedTasks tasks(team, shared_tasks(data, tables, top));
  WantedRows wanted(*data.row_parts());
  for (const std::size_t k : tasks.open()) {
    for (const Index sample : tables[k]->rows) wanted.add(tasks.owner(k), sample);
  }
  const Dataset rows = with_rows(data, wanted.rows(), team);
  const std::vector<std::string> found = tasks.run(
      [&](std::size_t k) {
        ByteWriter bytes;
        put(bytes, rank(rows, *tables[k], top, ctx).ranking);
        return bytes.take();
      },
      ctx);
  std::vector<NodeRanking> rankings(tables.size());
  for (std::size_t k = 0; k < tables.size(); ++k) {
    ByteReader bytes(found[k]);
    get(bytes, rankings[k]);
  }
  return rankings;
}

FeatureRanking FilterSelector::select(const SelectionInput& input, Context& ctx) {
  const Dataset& data = input.data;
  const NodeTable flat = flat_ ? flat_table(data) : NodeTable{};
  const auto tables = flat_ ? std::vector<const NodeTable*>{&flat} : tables_asked_for(input);

  std::vector<Ranked> ranked(tables.size());
  std::vector<std::size_t> numbers;  // of the tables that have something to rank
  std::vector<const NodeTable*> some;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (tables[k]->samples() == 0 || data.features() == 0) {
      ranked[k].ranking = in_feature_order(data, *tables[k]);
    } else {
      numbers.push_back(k);
      some.push_back(tables[k]);
    }
  }
  std::vector<NodeRanking> together =
      data.row_parts() ? rank_row_parts(data, some, input.top, ctx) : rank_together(data, some, ctx);
  for (std::size_t k = 0; k < together.size(); ++k) ranked[numbers[k]].ranking = std::move(together[k]);
  if (together.empty() && !some.empty()) {
    std::vector<Ranked> apart = rank_apart(data, some, input.top, ctx);
    for (std::size_t k = 0; k < apart.size(); ++k) ranked[numbers[k]] = std::move(apart[k]);
  }

  FeatureRanking result;
  for (Ranked& r : ranked) {
    result.nodes.push_back(std::move(r.ranking));
    add_to(result.objective, r.objective);
    std::move(r.notes.begin(), r.notes.end(), std::back_inserter(result.notes));
  }
  return result;
}

// Each table by one process of the team.
std::vector<FilterSelector::Ranked> FilterSelector::rank_shared(const Dataset& data,
                                                                std::span<const NodeTable* const> tables, Index top,
                                                                Team& team, Context& ctx) const {
  const std::vector<std::string> found = run_tasks(
      team, shared_tasks(data, tables, top),
      [&](Index k) {
        const Ranked own = rank(data, *tables[static_cast<std::size_t>(k)], top, ctx);
        ByteWriter bytes;
        put(bytes, own.ranking);
        return bytes.put(own.objective).put(own.notes).take();
      },
      ctx);
  std::vector<Ranked> ranked(tables.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ByteReader bytes(found[k]);
    get(bytes, ranked[k].ranking);
    bytes.get(ranked[k].objective).get(ranked[k].notes);
  }
  return ranked;
}

std::vector<FilterSelector::Ranked> FilterSelector::rank_apart(const Dataset& data,
                                                               std::span<const NodeTable* const> tables, Index top,
                                                               Context& ctx) const {
  if (Team* const team = team_of(ctx)) return rank_shared(data, tables, top, *team, ctx);
  std::vector<Ranked> ranked(tables.size());
  Progress progress(ctx, "ranking features", std::ssize(tables));
  const auto rank_table = [&](std::size_t k) {
    ranked[k] = rank(data, *tables[k], top, ctx);
    progress.advance();
  };
  std::vector<std::size_t> small;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (operations(data, *tables[k], top) < kLargeNode) {
      small.push_back(k);
    } else {
      ctx.check_cancelled();
      rank_table(k);
    }
  }
  parallel_for(ctx, std::ssize(small), 1,
               [&](Index begin, Index) { rank_table(small[static_cast<std::size_t>(begin)]); });
  return ranked;
}

}  // namespace clade

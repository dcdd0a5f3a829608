#include "select/filter/filter_selector.h"

#include <algorithm>
#include <iterator>

#include "core/parallel.h"
#include "core/progress.h"
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

std::string table_name(const Dataset& data, const NodeTable& table) {
  return table.node == kNoNode ? "the whole data set" : data.taxonomy().name(table.node);
}

std::vector<NodeRanking> FilterSelector::rank_together(const Dataset& /*data*/,
                                                       std::span<const NodeTable* const> /*tables*/,
                                                       Context& /*ctx*/) const {
  return {};
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
  std::vector<NodeRanking> together = rank_together(data, some, ctx);
  for (std::size_t k = 0; k < together.size(); ++k) ranked[numbers[k]].ranking = std::move(together[k]);
  if (together.empty()) {
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

std::vector<FilterSelector::Ranked> FilterSelector::rank_apart(const Dataset& data,
                                                               std::span<const NodeTable* const> tables, Index top,
                                                               Context& ctx) const {
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

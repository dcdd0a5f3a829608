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

FeatureRanking FilterSelector::select(const SelectionInput& input, Context& ctx) {
  const Dataset& data = input.data;
  const NodeTable flat = flat_ ? flat_table(data) : NodeTable{};
  const auto tables = flat_ ? std::vector<const NodeTable*>{&flat} : tables_asked_for(input);

  std::vector<Ranked> ranked(tables.size());
  Progress progress(ctx, "ranking features", std::ssize(tables));
  const auto rank_table = [&](std::size_t k) {
    const NodeTable& table = *tables[k];
    if (table.samples() == 0 || data.features() == 0) {
      ranked[k].ranking = in_feature_order(data, table);
    } else {
      ranked[k] = rank(data, table, input.top, ctx);
    }
    progress.advance();
  };
  std::vector<std::size_t> small;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (operations(data, *tables[k], input.top) < kLargeNode) {
      small.push_back(k);
    } else {
      ctx.check_cancelled();
      rank_table(k);
    }
  }
  parallel_for(ctx, std::ssize(small), 1,
               [&](Index begin, Index) { rank_table(small[static_cast<std::size_t>(begin)]); });

  FeatureRanking result;
  for (Ranked& r : ranked) {
    result.nodes.push_back(std::move(r.ranking));
    add_to(result.objective, r.objective);
    std::move(r.notes.begin(), r.notes.end(), std::back_inserter(result.notes));
  }
  return result;
}

}  // namespace clade

#include "classify/local/blocked_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "classify/linear/training_rows.h"
#include "comm/collectives.h"
#include "core/byte_string.h"

namespace clade {
namespace {

// How many values of every feature the rows of a table have, in all processes.
std::vector<Index> counted_values(const Dataset& data, const NodeTable& table, Team& team) {
  const RowParts& parts = *data.row_parts();
  const Index begin = parts.first[static_cast<std::size_t>(parts.own)];
  const Index end = parts.first[static_cast<std::size_t>(parts.own) + 1];
  std::vector<Index> count(static_cast<std::size_t>(data.features()), 0);
  for (const Index sample : table.rows) {
    if (sample < begin || sample >= end) continue;
    data.for_each_value(sample,
                        [&](FeatureIndex f, auto value) { count[static_cast<std::size_t>(f)] += value != 0 ? 1 : 0; });
  }
  std::vector<Index> total(count.size(), 0);
  for (const std::string& bytes : all_gather(team.processes(), ByteWriter().put(count).take())) {
    ByteReader(bytes).get(count);
    std::ranges::transform(total, count, total.begin(), std::plus<>());
  }
  return total;
}

std::vector<FeatureIndex> features_to_use(const std::vector<Index>& count, std::span<const FeatureIndex> features) {
  if (!features.empty()) return {features.begin(), features.end()};
  std::vector<FeatureIndex> found;
  for (std::size_t f = 0; f < count.size(); ++f) {
    if (count[f] > 0) found.push_back(static_cast<FeatureIndex>(f));
  }
  return found;
}

int number_of_blocks(const std::vector<Index>& count, const std::vector<FeatureIndex>& features, Index rows) {
  constexpr Index kValuesPerColumn = 8;
  constexpr int kMostBlocks = 256;
  Index values = 0;
  for (const FeatureIndex f : features) values += count[static_cast<std::size_t>(f)];
  int blocks = 1;
  while (blocks < kMostBlocks && 2 * blocks <= rows && values >= 2 * blocks * kValuesPerColumn * std::ssize(features)) {
    blocks *= 2;
  }
  return blocks;
}

NodeTable part_of(const NodeTable& table, Index begin, Index end) {
  NodeTable part{.node = table.node, .children = table.children, .rows = {}, .offsets = {0}, .columns = {}};
  for (Index r = begin; r < end; ++r) {
    part.rows.push_back(table.rows[static_cast<std::size_t>(r)]);
    const auto labels = table.labels(r);
    part.columns.insert(part.columns.end(), labels.begin(), labels.end());
    part.offsets.push_back(std::ssize(part.columns));
  }
  return part;
}

}  // namespace

BlockedRows::BlockedRows(const Dataset& data, const NodeTable& table, std::span<const FeatureIndex> features,
                         Team& team)
    : table_(table), sums_(team, 1) {
  const std::vector<Index> count = counted_values(data, table, team);
  features_ = features_to_use(count, features);
  sums_ = BlockSums(team, number_of_blocks(count, features_, table.samples()));
}

std::pair<Index, Index> BlockedRows::rows_of(int block) const {
  const auto begin_of = [&](Index b) { return b * table_.samples() / sums_.blocks(); };
  return {begin_of(block), begin_of(block + 1)};
}

void BlockedRows::want(WantedRows& wanted) const {
  for (int process = 0; process < sums_.team().size(); ++process) {
    const auto [first, end] = sums_.of(process);
    for (Index r = rows_of(first).first; r < rows_of(end).first; ++r) {
      wanted.add(process, table_.rows[static_cast<std::size_t>(r)]);
    }
  }
}

RowBlocks BlockedRows::blocks(const Dataset& data, const std::vector<double>& weight, RowOptions options,
                              Context& ctx) const {
  RowBlocks result{sums_, {}, features_};
  options.features = features_;
  const auto [first, last] = sums_.own();
  for (int block = first; block < last; ++block) {
    const auto [begin, end] = rows_of(block);
    RowBlocks::Block& own = result.own.emplace_back();
    own.table = part_of(table_, begin, end);
    if (!weight.empty()) own.weight.assign(weight.begin() + begin, weight.begin() + end);
    own.rows = training_rows(data, own.table.rows, options, ctx);
  }
  return result;
}

}  // namespace clade

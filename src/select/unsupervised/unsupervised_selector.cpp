#include "select/unsupervised/unsupervised_selector.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "core/memory_size.h"
#include "select/ranking.h"

namespace clade {
namespace {

// 0 if a sample has several labels.
int class_count(const Dataset& data) {
  std::set<NodeId> classes;
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).size() > 1) return 0;
    classes.insert(data.labels(s).begin(), data.labels(s).end());
  }
  return static_cast<int>(classes.size());
}

}  // namespace

FeatureRanking UnsupervisedSelector::select(const SelectionInput& input, Context& ctx) {
  const std::vector<bool> constant = constant_features(input.data);
  const auto count = std::count(constant.begin(), constant.end(), true);
  if (count == std::ssize(constant)) {
    throw usage_error("every feature is constant", "expected features that differ between samples");
  }
  Scores scores = score(input, constant, ctx);
  FeatureRanking result;
  if (count > 0) {
    result.notes.push_back(count == 1 ? "1 constant feature comes last, with weight 0"
                                      : fmt::format("{} constant features come last, with weight 0", count));
  }
  scores.second.resize(constant.size(), 0);
  for (std::size_t f = 0; f < constant.size(); ++f) {
    if (constant[f]) scores.weight[f] = 0;
    if (constant[f]) scores.second[f] = -std::numeric_limits<double>::infinity();
  }
  result.nodes.push_back(rank_features(whole_table(input.data), scores.weight, scores.second));
  result.objective = std::move(scores.objective);
  result.residuals = std::move(scores.residuals);
  result.notes.insert(result.notes.end(), scores.notes.begin(), scores.notes.end());
  return result;
}

std::vector<bool> constant_features(const Dataset& data) {
  const auto p = static_cast<std::size_t>(data.features());
  std::vector<double> first(p, 0);
  std::vector<Index> stored(p, 0);
  std::vector<bool> differs(p, false);
  data.for_each_value(0, [&](FeatureIndex f, auto v) { first[static_cast<std::size_t>(f)] = static_cast<double>(v); });
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex feature, auto v) {
      const auto f = static_cast<std::size_t>(feature);
      ++stored[f];
      if (static_cast<double>(v) != first[f]) differs[f] = true;
    });
  }
  std::vector<bool> constant(p);
  for (std::size_t f = 0; f < p; ++f) {
    // Values that a sparse row does not store are 0.
    constant[f] = !differs[f] && (stored[f] == data.samples() || first[f] == 0);
  }
  return constant;
}

NodeTable whole_table(const Dataset& data) {
  NodeTable table;
  table.rows.resize(static_cast<std::size_t>(data.samples()));
  std::iota(table.rows.begin(), table.rows.end(), Index{0});
  table.offsets.assign(table.rows.size() + 1, 0);
  return table;
}

void require_memory(double needed, double limit) {
  if (limit == 0 || needed <= limit) return;
  throw usage_error(
      fmt::format("selection needs about {} of memory and may use {}", bytes_text(needed), bytes_text(limit)),
      "expected fewer samples or features, or a larger `memory`");
}

int clusters_for(int asked, const Dataset& data, Index most, std::vector<std::string>& notes) {
  constexpr int kUsual = 5;
  if (asked > data.samples()) {
    throw usage_error(fmt::format("`clusters`: {} clusters of {} samples", asked, data.samples()),
                      "expected no more clusters than samples");
  }
  if (asked != kAutoClusters) return asked;
  const auto limit = static_cast<int>(std::clamp<Index>(most, 1, std::numeric_limits<int>::max()));
  const int classes = class_count(data);
  if (classes > 1) return std::min(classes, limit);
  const int clusters = std::min(kUsual, limit);
  notes.push_back(fmt::format("{} clusters: the data do not say how many there are; `clusters` does", clusters));
  return clusters;
}

}  // namespace clade

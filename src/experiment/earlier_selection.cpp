#include "experiment/earlier_selection.h"

#include <clade/error.h>
#include <clade/io.h>
#include <fmt/format.h>

namespace clade {
namespace {

void require_same_features(const ExperimentData& spec, const Dataset& selecting, const Dataset& data) {
  const std::string expected = fmt::format("expected those of {}", spec.file);
  if (selecting.features() != data.features()) {
    throw input_error({.file = spec.select_on},
                      fmt::format("{} features instead of {}", selecting.features(), data.features()), expected);
  }
  for (FeatureIndex f = 0; f < static_cast<FeatureIndex>(data.features()); ++f) {
    if (selecting.feature_name(f) == data.feature_name(f)) continue;
    throw input_error(
        {.file = spec.select_on},
        fmt::format("feature {} is '{}' instead of '{}'", f + 1, selecting.feature_name(f), data.feature_name(f)),
        expected);
  }
}

}  // namespace

FeatureRanking earlier_ranking(const ExperimentData& spec, const Dataset& data, const SelectOptions& selection,
                               SharedLearning& shared, Context& ctx) {
  if (data.words()) {
    throw usage_error("`select-on` needs numbers", "expected texts without it: their words are learnt per fold");
  }
  std::string key = fmt::format("earlier ranking {} {} {} {} {} {} {} {}", spec.name, selection.method,
                                static_cast<int>(selection.scale), selection.bias, selection.allow_zero_weights,
                                static_cast<int>(selection.tune), selection.grid, ctx.seed());
  for (const auto& [name, value] : selection.parameters) key += fmt::format(" {}={}", name, value.text());
  double spared = 0;
  return *shared.get<FeatureRanking>(key, spared, [&]() -> SharedLearning::Made {
    ReadOptions reading = spec.reading;
    if (spec.missing != Missing::kError) reading.missing = spec.missing;
    const Dataset selecting = read_dataset(spec.select_on, reading, ctx).data;
    require_same_features(spec, selecting, data);
    FeatureRanking ranking = select(selecting, selection, ctx);
    const Dataset from = with_leaf_labels(selecting);
    const Dataset to = with_leaf_labels(data);
    for (NodeRanking& node : ranking.nodes) {
      if (node.node == kNoNode) continue;
      const std::string& name = from.taxonomy().name(node.node);
      const auto known = to.taxonomy().find(name);
      if (!known) {
        throw input_error({.file = spec.select_on}, fmt::format("no node '{}' in the hierarchy of {}", name, spec.file),
                          "expected the same hierarchy");
      }
      node.node = *known;
    }
    const double bytes = ranking_bytes(ranking);
    return {std::make_shared<const FeatureRanking>(std::move(ranking)), bytes};
  });
}

}  // namespace clade

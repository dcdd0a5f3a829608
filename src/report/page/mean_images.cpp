#include "report/page/mean_images.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/page/packed_numbers.h"
#include "report/page/word_list.h"

namespace clade {
namespace {

struct MeanImage {
  std::vector<double> sum;
  double samples = 0;
};

std::vector<NodeId> nodes_above(const JudgedSamples& judged, const Taxonomy& taxonomy, Index sample) {
  std::vector<NodeId> all;
  for (const NodeId label : judged.truth.of(sample)) {
    all.push_back(label);
    const auto above = taxonomy.ancestors(label);
    all.insert(all.end(), above.begin(), above.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

}  // namespace

void add_mean_images(nlohmann::json& document, const Dataset& data, const JudgedSamples& judged,
                     const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index room) {
  const auto features = static_cast<std::size_t>(data.features());
  const auto affordable = static_cast<std::size_t>(room / (data.features() * 4 / 3 + 20));
  std::map<NodeId, MeanImage> means;
  for (std::size_t k = 0; k < std::min(nodes.size(), affordable); ++k) {
    means[nodes[k]] = {std::vector<double>(features, 0), 0};
  }
  for (Index s = 0; s < std::ssize(judged.samples); ++s) {
    for (const NodeId node : nodes_above(judged, taxonomy, s)) {
      const auto mean = means.find(node);
      if (mean == means.end()) continue;
      mean->second.samples += 1;
      data.for_each_value(judged.samples[static_cast<std::size_t>(s)], [&](FeatureIndex f, double value) {
        if (!std::isnan(value)) mean->second.sum[static_cast<std::size_t>(f)] += value;
      });
    }
  }
  double low = 0;
  double high = 0;
  bool is_first = true;
  for (auto& [node, mean] : means) {
    if (mean.samples == 0) continue;
    for (double& one : mean.sum) one /= mean.samples;
    const auto [least, most] = std::ranges::minmax_element(mean.sum);
    low = is_first ? *least : std::min(low, *least);
    high = is_first ? *most : std::max(high, *most);
    is_first = false;
  }
  nlohmann::json packed = nlohmann::json::object();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto mean = means.find(nodes[k]);
    if (mean == means.end() || mean->second.samples == 0) continue;
    packed[std::to_string(k)] = packed_bytes(mean->second.sum, low, high);
  }
  if (packed.empty()) return;
  document["means"] = {{"low", rounded_for_page(low)}, {"high", rounded_for_page(high)}, {"nodes", std::move(packed)}};
}

}  // namespace clade

#include "classify/joint/feature_mask.h"

#include <algorithm>
#include <map>

namespace clade {

FeatureMask::FeatureMask(const std::vector<std::vector<FeatureIndex>>& allowed,
                         std::span<const FeatureIndex> features) {
  std::map<std::vector<FeatureIndex>, std::int32_t> known;
  for (const std::vector<FeatureIndex>& own : allowed) {
    list_.push_back(known.emplace(own, static_cast<std::int32_t>(known.size())).first->second);
  }
  lists_ = std::ssize(known);
  is_in_.assign(features.size() * known.size(), false);
  for (const auto& [own, list] : known) {
    for (std::size_t column = 0; column < features.size(); ++column) {
      is_in_[column * known.size() + static_cast<std::size_t>(list)] =
          features[column] == kMaxFeatures || std::ranges::binary_search(own, features[column]);
    }
  }
}

}  // namespace clade

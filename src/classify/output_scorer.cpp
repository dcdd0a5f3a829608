#include "classify/output_scorer.h"

#include <algorithm>
#include <cmath>

namespace clade {

OutputScorer::OutputScorer(const ModelBody& model) : model_(model) {}

void OutputScorer::use(const LinearOutputs& outputs, Index samples) {
  if (outputs_ == &outputs && is_spread_) return;
  if (is_spread_) {
    for (const FeatureIndex f : outputs_->features) places_[static_cast<std::size_t>(f)] = 0;
  }
  outputs_ = &outputs;
  // A table pays off if the samples look up about as many features as it takes to fill it.
  constexpr std::size_t kLookupsPerSample = 64;
  is_spread_ = static_cast<std::size_t>(samples) * kLookupsPerSample >= outputs.features.size();
  if (!is_spread_) return;
  if (places_.empty()) places_.assign(static_cast<std::size_t>(model_.features), 0);
  for (std::size_t k = 0; k < outputs.features.size(); ++k) {
    places_[static_cast<std::size_t>(outputs.features[k])] = static_cast<std::int32_t>(k) + 1;
  }
}

Index OutputScorer::place_of(FeatureIndex feature) const {
  if (is_spread_) return places_[static_cast<std::size_t>(feature)] - 1;
  const auto at = std::lower_bound(outputs_->features.begin(), outputs_->features.end(), feature);
  return at != outputs_->features.end() && *at == feature ? at - outputs_->features.begin() : -1;
}

void OutputScorer::score(const Dataset& data, Index sample, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  double square = 0;
  std::visit(
      [&](const auto& output, const auto& weight) {
        data.for_each_value(sample, [&](FeatureIndex f, auto value) {
          if (value == 0) return;
          const auto x = static_cast<double>(value);
          square += x * x;
          const Index place = place_of(f);
          if (place < 0) return;
          const auto k = static_cast<std::size_t>(place);
          const auto end = static_cast<std::size_t>(outputs_->offsets[k + 1]);
          for (auto e = static_cast<std::size_t>(outputs_->offsets[k]); e < end; ++e) {
            out[output[e]] += x * static_cast<double>(weight[e]);
          }
        });
      },
      outputs_->outputs, outputs_->weights);
  const double factor = model_.has_unit_rows && square > 0 ? 1 / std::sqrt(square) : 1;
  for (std::size_t o = 0; o < out.size(); ++o) out[o] = outputs_->bias[o] + factor * out[o];
}

}  // namespace clade

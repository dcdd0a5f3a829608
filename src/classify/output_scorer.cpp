#include "classify/output_scorer.h"

#include <algorithm>
#include <cmath>

#include "classify/full_row_sums.h"
#include "classify/prepared_outputs.h"
#include "core/fetch_ahead.h"

namespace clade {
OutputScorer::OutputScorer(const ModelBody& model) : model_(model) {}

void OutputScorer::use(const LinearOutputs& outputs, Index samples) {
  if (outputs_ == &outputs && own_places_) return;
  use(outputs, nullptr);
  // It pays off if the samples look up about as many features as it takes to enter.
  if (samples * kLookupsPerSample < std::ssize(outputs.features)) return;
  places_ = &own_places_.emplace(outputs.features, model_.features);
}

void OutputScorer::use(const LinearOutputs& outputs, const FeaturePlaces* places, const FullRows* rows) {
  own_places_.reset();
  outputs_ = &outputs;
  places_ = places;
  rows_ = rows;
  const auto width = static_cast<Index>(rows_ != nullptr ? rows_->width : outputs.bias.size());
  if (sums_.size() < width) sums_ = Buffer<double>(width);
}

Index OutputScorer::place_of(FeatureIndex feature) const {
  if (places_ != nullptr) return places_->of(feature);
  const auto at = std::lower_bound(outputs_->features.begin(), outputs_->features.end(), feature);
  return at != outputs_->features.end() && *at == feature ? at - outputs_->features.begin() : -1;
}

double OutputScorer::find_terms(const Dataset& data, Index sample) {
  double square = 0;
  term_count_ = 0;
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    if (value == 0) return;
    const auto x = static_cast<double>(value);
    square += x * x;
    const Index place = place_of(f);
    if (place < 0) return;
    if (term_count_ == terms_.size()) terms_.resize(std::max<std::size_t>(64, 2 * terms_.size()));
    terms_[term_count_++] = {static_cast<std::size_t>(place), x};
    fetch_ahead(&outputs_->offsets[static_cast<std::size_t>(place)]);
    if (rows_ != nullptr) fetch_ahead(&rows_->number[static_cast<std::size_t>(place)]);
  });
  return square;
}

void OutputScorer::add_terms(double* sums) const {
  // The weights of a term are anywhere in memory: they are asked for some terms ahead.
  constexpr std::size_t kAhead = 8;
  const auto row_of = [&](std::size_t t) {
    return rows_ != nullptr && t < term_count_ ? rows_->of(terms_[t].place) : nullptr;
  };
  std::visit(
      [&](const auto& output, const auto& weight) {
        const auto ask_for = [&](std::size_t t) {
          if (t >= term_count_) return;
          if (const float* const row = row_of(t)) {
            constexpr std::size_t kLine = 16;  // numbers; the processor guesses those behind the first lines
            for (std::size_t line = 0; line < 4; ++line) fetch_ahead(row + line * kLine);
            return;
          }
          const std::size_t begin = outputs_->offsets[terms_[t].place];
          fetch_ahead(output.data() + begin);
          fetch_ahead(weight.data() + begin);
        };
        for (std::size_t t = 0; t < kAhead; ++t) ask_for(t);
        for (std::size_t t = 0; t < term_count_; ++t) {
          const auto [place, value] = terms_[t];
          const float* const row = row_of(t);
          const float* const next = row == nullptr ? nullptr : row_of(t + 1);
          ask_for(t + kAhead);
          if (next != nullptr) {
            full_row_sums::add_two_rows(row, value, next, terms_[++t].value, sums, rows_->width);
            ask_for(t + kAhead);
          } else if (row != nullptr) {
            full_row_sums::add_row(row, value, sums, rows_->width);
          } else {
            const std::size_t end = outputs_->offsets[place + 1];
            for (std::size_t e = outputs_->offsets[place]; e < end; ++e) {
              sums[output[e]] += value * static_cast<double>(weight[e]);
            }
          }
        }
      },
      outputs_->outputs, outputs_->weights);
}

void OutputScorer::score(const Dataset& data, Index sample, std::span<double> out) {
  const double square = find_terms(data, sample);
  double* const sums = sums_.data();
  std::fill(sums, sums + (rows_ != nullptr ? rows_->width : out.size()), 0.0);
  add_terms(sums);
  const double factor = model_.has_unit_rows && square > 0 ? 1 / std::sqrt(square) : 1;
  for (std::size_t o = 0; o < out.size(); ++o) out[o] = outputs_->bias[o] + factor * sums[o];
}

}  // namespace clade

#include "classify/cross_validate.h"

#include <clade/error.h>

#include <algorithm>

namespace clade {

Predictions cross_validate(const Dataset& data, std::span<const Index> folds, const PredictOptions& options,
                           const std::function<Model(const Dataset&, const std::vector<Index>&)>& train, Context& ctx) {
  struct Place {
    std::size_t fold;
    Index row;
  };
  const Index count = folds.empty() ? 0 : *std::max_element(folds.begin(), folds.end()) + 1;
  std::vector<Predictions> of_fold(static_cast<std::size_t>(count));
  std::vector<Place> place(folds.size());
  for (Index fold = 0; fold < count; ++fold) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (std::size_t s = 0; s < folds.size(); ++s) {
      if (folds[s] == fold) place[s] = {static_cast<std::size_t>(fold), std::ssize(inside)};
      (folds[s] == fold ? inside : outside).push_back(static_cast<Index>(s));
    }
    if (outside.empty()) throw usage_error("one fold holds all samples", "expected two folds or more");
    const Model model = train(data.subset(outside), outside);
    of_fold[static_cast<std::size_t>(fold)] = predict(model, data.subset(inside), options, ctx);
  }
  Predictions all;
  for (const auto& [fold, row] : place) {
    const auto labels = of_fold[fold].labels_of(row);
    const auto scores = of_fold[fold].scores_of(row);
    all.labels.insert(all.labels.end(), labels.begin(), labels.end());
    all.scores.insert(all.scores.end(), scores.begin(), scores.end());
    all.offsets.push_back(std::ssize(all.labels));
  }
  return all;
}

}  // namespace clade

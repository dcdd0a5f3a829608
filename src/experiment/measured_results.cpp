#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "experiment/results.h"

namespace clade {
namespace {

bool is_higher_better(const std::string& measure) {
  const auto found = std::ranges::find(measures(), measure, &MeasureInfo::name);
  return found != measures().end() ? found->higher_is_better : better_direction(measure) == Better::kHigher;
}

double average(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

MeasuredMethods measured_by(const ExperimentResults& results, std::size_t measure) {
  MeasuredMethods one{.measure = results.measures[measure], .datasets = {}, .methods = {}, .places = {}};
  one.higher_is_better = is_higher_better(one.measure);
  for (const ResultDataset& dataset : results.datasets) one.datasets.push_back(dataset.name);
  for (const ResultMethod& method : results.methods) one.methods.push_back(method.name);
  one.places.resize(one.datasets.size() * one.methods.size());
  std::vector<std::map<std::array<Index, 3>, std::vector<double>>> cells(one.places.size());
  std::vector<std::map<std::pair<Index, Index>, std::vector<double>>> paired(one.places.size());
  for (const ResultFold& fold : results.folds) {
    if (!fold.values[measure]) continue;
    const std::size_t at = fold.dataset * one.methods.size() + fold.method;
    one.places[at].folds.push_back(*fold.values[measure]);
    cells[at][{fold.repeat, fold.draw, fold.order}].push_back(*fold.values[measure]);
    paired[at][{fold.repeat, fold.fold}].push_back(*fold.values[measure]);
  }
  for (std::size_t at = 0; at < one.places.size(); ++at) {
    for (const auto& [cell, values] : cells[at]) one.places[at].cells.push_back(average(values));
    for (const auto& [key, values] : paired[at]) one.places[at].paired.emplace_back(key, average(values));
  }
  return one;
}

}  // namespace

std::vector<MeasuredMethods> measured_methods(const ExperimentResults& results) {
  std::vector<MeasuredMethods> measured;
  for (std::size_t k = 0; k < results.measures.size(); ++k) measured.push_back(measured_by(results, k));
  return measured;
}

}  // namespace clade

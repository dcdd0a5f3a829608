#include <clade/error.h>
#include <clade/experiment.h>
#include <clade/split.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiment/cell_work.h"
#include "experiment/process_memory.h"

namespace clade {
namespace {

constexpr Index kTrialSamples = 400;
constexpr double kTrialHoldout = 0.25;

// The samples that a cell learns from and predicts for, all folds together, and how often it learns.
struct CellSize {
  double learnt = 0;
  double predicted = 0;
  double fits = 1;
};

CellSize size_of(const ExperimentData& data, Index per_class, const Dataset& samples, Context& ctx) {
  const auto all = static_cast<double>(samples.samples());
  const auto classes = static_cast<double>(samples.taxonomy().leaves().size());
  const double some = per_class > 0 ? std::min(all, static_cast<double>(per_class) * classes) : all;
  if (data.folds > 0 || !data.fold_file.empty()) {
    double folds = data.folds;
    if (!data.fold_file.empty()) {
      const std::vector<Index> given = read_folds(data.fold_file, row_count(samples.matrix()), ctx);
      folds = static_cast<double>(*std::ranges::max_element(given) + 1);
    }
    return {.learnt = some * (folds - 1), .predicted = some, .fits = folds};
  }
  if (!data.test.empty()) return {.learnt = some, .predicted = all};  // as if the test part were as large
  if (per_class > 0) return {.learnt = some, .predicted = all - some};
  return {.learnt = all * (1 - data.holdout), .predicted = all * data.holdout};
}

// The experiment with every data set measured by one small split.
Experiment trial_of(const Experiment& experiment) {
  Experiment trial = experiment;
  for (ExperimentData& data : trial.data) {
    data.test.clear();
    data.fold_file.clear();
    data.folds = 0;
    data.per_class.clear();
    data.holdout = kTrialHoldout;
  }
  return trial;
}

}  // namespace

std::vector<CellEstimate> estimate_experiment(const Experiment& experiment, Context& ctx) {
  constexpr double kShared = 0x1p28;
  const Experiment trial = trial_of(experiment);
  CellWork work(trial, kShared);
  PeakMemory peaks;
  std::vector<CellEstimate> estimates;
  std::map<std::pair<Index, Index>, std::size_t> place;
  for (const ExperimentCell& cell : experiment.cells) {
    const auto [entry, is_new] = place.emplace(std::pair(cell.data, cell.recipe), estimates.size());
    if (!is_new) {
      ++estimates[entry->second].cells;
      continue;
    }
    const ExperimentData& data = experiment.data[static_cast<std::size_t>(cell.data)];
    CellEstimate& estimate = estimates.emplace_back();
    estimate.data = data.name;
    estimate.recipe = experiment.recipes[static_cast<std::size_t>(cell.recipe)].name;
    estimate.cells = 1;
    try {
      const std::shared_ptr<const Dataset> all = work.data_of(cell, ctx);
      const Dataset part =
          all->samples() <= kTrialSamples
              ? *all
              : all->subset(train_test_split(*all,
                                             static_cast<double>(kTrialSamples) / static_cast<double>(all->samples()),
                                             work.seed_of(cell))
                                .test);
      ExperimentCell first = cell;
      first.per_class = 0;
      release_free_memory();
      const double before = resident_bytes();
      const PeakMemory::Piece piece = peaks.begin();
      const CellResult result = work.run_on(first, part, ctx);
      const double growth = std::max(0.0, peaks.end(piece) - before);
      const CellSize size = size_of(data, cell.per_class, *all, ctx);
      const auto tried = static_cast<double>(part.samples());
      estimate.seconds = result.folds[0].fit_seconds * size.learnt / (tried * (1 - kTrialHoldout)) +
                         result.folds[0].predict_seconds * size.predicted / (tried * kTrialHoldout);
      estimate.memory = growth * std::max(1.0, size.learnt / size.fits / (tried * (1 - kTrialHoldout)));
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      estimate.problem = error.what();
    }
  }
  return estimates;
}

}  // namespace clade

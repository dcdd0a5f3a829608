#include "experiment/cell_work.h"

#include <clade/error.h>
#include <clade/split.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "classify/apply.h"
#include "core/output_file.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "evaluate/measures.h"
#include "experiment/earlier_selection.h"
#include "experiment/tuning.h"
#include "io/predictions/predictions.h"
#include "pipeline/other_taxonomy.h"

namespace clade {
namespace {

bool keeps_some(const PrepareOptions& keep) {
  return !keep.subtree.empty() || keep.single_labels || keep.without_duplicates || keep.merge_below > 1;
}

std::string selection_text(const Recipe& recipe) {
  std::string text =
      fmt::format("{} {} {} {} {} {}", recipe.select.method, static_cast<int>(recipe.select.scale), recipe.select.bias,
                  recipe.select.allow_zero_weights, static_cast<int>(recipe.select.tune), recipe.select.grid);
  for (const auto& [name, value] : recipe.select.parameters) text += fmt::format(" {}={}", name, value.text());
  return text;
}

std::vector<Index> first_numbers(Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

std::vector<Index> all_others(const std::vector<Index>& some, Index count) {
  std::vector<Index> others;
  std::ranges::set_difference(first_numbers(count), some, std::back_inserter(others));
  return others;
}

LearningPlan::Keep kept_of(KeptPredictions predictions) {
  switch (predictions) {
    case KeptPredictions::kSets:
      return LearningPlan::Keep::kSets;
    case KeptPredictions::kRanked:
      return LearningPlan::Keep::kRankings;
    case KeptPredictions::kNone:
      break;
  }
  return LearningPlan::Keep::kNothing;
}

// The file, with the folds of cross-validation counted as in the results.
std::string predictions_text(const PlannedEvaluation::Predicted& predicted, Context& ctx) {
  ExtraColumns extra;
  if (!predicted.folds.empty()) {
    extra.names = {"fold"};
    extra.cells = [&](Index sample, Index) {
      return std::vector{std::to_string(predicted.folds[static_cast<std::size_t>(sample)] + 1)};
    };
  }
  StringSink text;
  write_predictions(predicted.predictions, predicted.data, text, ctx, true, extra);
  return text.text();
}

std::vector<std::optional<double>> chosen_values(const std::vector<std::optional<double>>& all,
                                                 const std::vector<std::string>& measures) {
  std::vector<std::optional<double>> values;
  const auto infos = clade::measures();
  for (const std::string& measure : measures) {
    const auto found = std::ranges::find(infos, measure, &MeasureInfo::name);
    const auto place = static_cast<std::size_t>(found - infos.begin());
    values.push_back(place < all.size() ? all[place] : std::nullopt);
  }
  return values;
}

// All values of a short history; of a long one the first and the last, and more at its beginning than at its end.
std::vector<std::pair<Index, double>> thinned_objective(const std::vector<double>& values) {
  constexpr double kMostPoints = 60;
  const auto count = static_cast<double>(values.size());
  std::vector<std::pair<Index, double>> result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto iteration = static_cast<Index>(k) + 1;
    const double place = static_cast<double>(iteration);
    const double step = count <= kMostPoints ? 1 : std::max(1.0, place * std::log(count) / kMostPoints);
    const bool is_last = k + 1 == values.size();
    if (!std::isfinite(values[k])) continue;
    if (result.empty() || is_last || place >= static_cast<double>(result.back().first) + step) {
      result.emplace_back(iteration, values[k]);
    }
  }
  return result;
}

}  // namespace

EvaluateOptions measuring(const EvaluateOptions& options, const std::vector<std::string>& measures) {
  EvaluateOptions result = options;
  const bool needs_nodes = std::ranges::any_of(measure_rows(), [&](const MeasureRow& row) {
    return row.needs == Needs::kNodeScores && std::ranges::find(measures, row.info.name) != measures.end();
  });
  if (!needs_nodes) result.node_measures = NodeMeasures::kNo;
  return result;
}

CellWork::CellWork(const Experiment& experiment, double shared_bytes)
    : experiment_(experiment), shared_(shared_bytes), slots_(experiment.data.size()) {
  for (const ExperimentCell& cell : experiment.cells) ++slots_[static_cast<std::size_t>(cell.data)].cells;
  const auto note_top = [&](const Recipe& recipe) {
    std::vector<ParameterValue>& tops = tops_[selection_text(recipe)];
    if (std::ranges::find(tops, recipe.top) == tops.end()) tops.push_back(recipe.top);
  };
  for (const ExperimentRecipe& recipe : experiment.recipes) {
    for (const RecipeVariant& variant : recipe.variants) {
      note_top(variant.recipe);
      for (const Recipe& candidate : variant.candidates) note_top(candidate);
    }
  }
}

const RecipeVariant& CellWork::variant_of(const ExperimentCell& cell) const {
  return experiment_.recipes[static_cast<std::size_t>(cell.recipe)].variants[static_cast<std::size_t>(cell.variant)];
}

Dataset CellWork::read(const ExperimentCell& cell, const std::string& file, const ReadOptions& reading,
                       Context& ctx) const {
  LoadedData loaded = read_dataset(file, reading, ctx);
  for (const std::string& note : loaded.report.notes) ctx.info(note);
  if (!keeps_some(spec_of(cell).keep)) return std::move(loaded.data);
  PreparedData prepared = prepare(loaded.data, spec_of(cell).keep, ctx);
  for (const std::string& note : prepared.notes) ctx.info(note);
  return std::move(prepared.data);
}

std::shared_ptr<const Dataset> CellWork::data_of(const ExperimentCell& cell, Context& ctx) {
  Slot& slot = slots_[static_cast<std::size_t>(cell.data)];
  const std::lock_guard lock(slot.mutex);
  if (!slot.data) {
    slot.data = std::make_shared<const Dataset>(read(cell, spec_of(cell).file, spec_of(cell).reading, ctx));
  }
  return slot.data;
}

void CellWork::forget(const ExperimentCell& cell) {
  Slot& slot = slots_[static_cast<std::size_t>(cell.data)];
  const std::lock_guard lock(slot.mutex);
  if (--slot.cells == 0) slot.data.reset();
}

Recipe CellWork::complete(Recipe recipe, const ExperimentCell& cell, const Dataset& data, Context& ctx) {
  recipe.missing = spec_of(cell).missing;
  if (!spec_of(cell).select_on.empty() && !recipe.select.method.empty()) {
    recipe.features = earlier_ranking(spec_of(cell), data, recipe.select, shared_, ctx);
    recipe.select = {};
  }
  return recipe;
}

std::string CellWork::scope_name(const ExperimentCell& cell) const {
  return fmt::format("{} {} {} {} {}", cell.data, cell.per_class, cell.repeat, cell.taxonomy, cell.draw);
}

SharedScope CellWork::scope_of(const ExperimentCell& cell, const Recipe& recipe) {
  return {&shared_, scope_name(cell), tops_.at(selection_text(recipe))};
}

Dataset CellWork::over_taxonomy(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
                                double& spared, Context& ctx) {
  const ExperimentTaxonomy& taxonomy = experiment_.taxonomies[static_cast<std::size_t>(cell.taxonomy)];
  if (taxonomy.kind == ExperimentTaxonomy::Kind::kFlat) return relabelled_by_name(data, flattened(data));
  if (taxonomy.kind == ExperimentTaxonomy::Kind::kRandom) {
    return relabelled_by_name(
        data, random_taxonomy_like(data.taxonomy(), experiment_.seed + static_cast<std::uint64_t>(cell.draw)));
  }
  const std::string key = fmt::format("taxonomy {} {}", scope_name(cell), samples_key(data, samples));
  const auto learnt = shared_.get<Taxonomy>(key, spared, [&]() -> SharedLearning::Made {
    // With the labels of the data, which recipes over other taxonomies must not find.
    const SharedScope given{&shared_, fmt::format("given {} {} {}", cell.data, cell.per_class, cell.repeat), {}};
    const Dataset features = learnt_features(data, samples, spec_of(cell).missing, given, spared, ctx);
    LearnedTaxonomy found = learn_taxonomy(features.subset(samples), taxonomy.learn, ctx);
    return {std::make_shared<const Taxonomy>(std::move(found.taxonomy)), 0};
  });
  return relabelled_by_name(data, *learnt);
}

std::function<LearningPlan::Relabel> CellWork::relabelling(const ExperimentCell& cell) {
  const auto kind = experiment_.taxonomies[static_cast<std::size_t>(cell.taxonomy)].kind;
  if (kind == ExperimentTaxonomy::Kind::kGiven) return {};
  return [this, &cell](const Dataset& data, const std::vector<Index>& samples, double& spared, Context& ctx) {
    return over_taxonomy(cell, data, samples, spared, ctx);
  };
}

Recipe CellWork::tune(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
                      std::vector<std::string>& tuned, double& spared, Context& ctx) {
  const RecipeVariant& variant = variant_of(cell);
  std::vector<LearningPlan> plans;
  for (const Recipe& candidate : variant.candidates) {
    LearningPlan plan{complete(candidate, cell, data, ctx)};
    plan.scope = scope_of(cell, candidate);
    plan.relabel = relabelling(cell);
    plans.push_back(std::move(plan));
  }
  const std::size_t best =
      best_plan(data.subset(samples), plans, experiment_.tune,
                measuring(experiment_.evaluate, {experiment_.tune.measure}), experiment_.predict, spared, ctx);
  tuned.push_back(variant.candidate_parameters[best]);
  return plans[best].recipe;
}

LearningPlan CellWork::plan_of(const ExperimentCell& cell, const Dataset& data, std::vector<std::string>& tuned,
                               Context& ctx) {
  LearningPlan plan{complete(variant_of(cell).recipe, cell, data, ctx)};
  plan.scope = scope_of(cell, variant_of(cell).recipe);
  if (!variant_of(cell).candidates.empty()) {
    plan.choose = [this, &cell, &tuned](const Dataset& all, const std::vector<Index>& some, double& spared,
                                        Context& inner) { return tune(cell, all, some, tuned, spared, inner); };
    // Candidates may differ in their selection; the largest number of features serves all of them.
    for (const Recipe& candidate : variant_of(cell).candidates) {
      for (const ParameterValue& top : tops_.at(selection_text(candidate))) plan.scope.tops.push_back(top);
    }
  }
  plan.relabel = relabelling(cell);
  plan.keep = kept_of(experiment_.recipes[static_cast<std::size_t>(cell.recipe)].predictions);
  if (experiment_.recipes[static_cast<std::size_t>(cell.recipe)].orders > 0) {
    plan.arrange = [this, &cell](std::vector<Index>& samples) {
      // Two numbers more than the name of a drawn subset has: another stream.
      RandomStream random(seed_of(cell), {kSubsampleStream, 1, static_cast<std::uint64_t>(cell.order)});
      random.shuffle(std::span(samples));
    };
  }
  return plan;
}

std::vector<Index> CellWork::folds_of(const ExperimentCell& cell, const Dataset& data, Context& ctx) const {
  if (!spec_of(cell).fold_file.empty()) {
    // A line for every sample of the file, of which some may have been left out.
    const Index rows = row_count(data.matrix());
    const std::vector<Index> of_rows = read_folds(spec_of(cell).fold_file, rows, ctx);
    std::vector<Index> folds;
    for (Index s = 0; s < data.samples(); ++s) {
      folds.push_back(of_rows[static_cast<std::size_t>(data.source_row(s))]);
    }
    return folds;
  }
  const std::vector<int> dealt = stratified_folds(data, spec_of(cell).folds, seed_of(cell));
  return {dealt.begin(), dealt.end()};
}

Dataset CellWork::test_data(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
                            const LearningPlan& plan, const Model& model, Context& ctx) {
  ReadOptions reading = reading_for(model, spec_of(cell).reading);
  if (plan.relabel) reading.known_classes = data.taxonomy();
  double spared = 0;
  // Only texts are read as the training samples say.
  const std::string key = fmt::format("test {} {}", plan.relabel ? "given" : scope_name(cell),
                                      reading.vectorizer ? samples_key(data, samples) : "");
  return *shared_.get<Dataset>(fmt::format("{} {}", key, cell.data), spared, [&]() -> SharedLearning::Made {
    Dataset test = read(cell, spec_of(cell).test, reading, ctx);
    // Measured over the taxonomy of the training samples, which may have classes that this file lacks.
    std::vector<NodeId> unknown;
    if (plan.relabel) test = relabelled_by_name(test, with_nodes_of(data.taxonomy(), test, unknown));
    auto made = std::make_shared<const Dataset>(std::move(test));
    const double bytes = feature_bytes(*made);
    return {std::move(made), bytes};
  });
}

PlannedEvaluation CellWork::evaluated(const ExperimentCell& cell, const Dataset& data, const LearningPlan& plan,
                                      Context& ctx) {
  const ExperimentData& spec = spec_of(cell);
  const EvaluateOptions options = measuring(experiment_.evaluate, experiment_.measures);
  const PredictOptions& predict = experiment_.predict;
  double spared = 0;
  std::vector<Index> samples;
  if (cell.per_class > 0) samples = subsample_per_class(data, cell.per_class, seed_of(cell));
  if (!spec.test.empty()) {
    if (cell.per_class == 0) samples = first_numbers(data.samples());
    const auto read_test = [&](const Model& model) { return test_data(cell, data, samples, plan, model, ctx); };
    return evaluate_plan(data, plan, samples, read_test, options, predict, ctx);
  }
  if (spec.folds > 0 || !spec.fold_file.empty()) {
    const Dataset part = cell.per_class > 0 ? data.subset(samples) : data;
    const std::string key = fmt::format("folds {} {} {} {}", cell.data, cell.per_class, cell.repeat, part.samples());
    const auto folds = shared_.get<std::vector<Index>>(key, spared, [&]() -> SharedLearning::Made {
      auto made = std::make_shared<const std::vector<Index>>(folds_of(cell, part, ctx));
      const double bytes = static_cast<double>(made->size()) * sizeof(Index);
      return {std::move(made), bytes};
    });
    return evaluate_plan(part, plan, *folds, options, predict, ctx);
  }
  const Split split = cell.per_class > 0 ? Split{samples, all_others(samples, data.samples())}
                                         : train_test_split(data, spec.holdout, seed_of(cell));
  if (split.test.empty()) throw usage_error("`per-class` takes all samples", "expected some that are left to test on");
  return evaluate_plan(data, plan, split, options, predict, ctx);
}

CellResult CellWork::run(const ExperimentCell& cell, Context& ctx) {
  const std::shared_ptr<const Dataset> data = data_of(cell, ctx);
  return run_on(cell, *data, ctx);
}

CellResult CellWork::run_on(const ExperimentCell& cell, const Dataset& data, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> tuned;
  LearningPlan plan = plan_of(cell, data, tuned, ctx);
  CellResult result;
  bool has_seen = false;
  plan.scope.show = [&](const FeatureRanking& ranking) {
    if (has_seen) return;
    has_seen = true;
    result.objective = thinned_objective(ranking.objective);
  };
  if (plan.recipe.features) plan.scope.show(*plan.recipe.features);
  const PlannedEvaluation found = evaluated(cell, data, plan, ctx);
  result.data_samples = data.samples();
  result.data_features = data.features();
  result.values = chosen_values(found.evaluation.values, experiment_.measures);
  for (std::size_t k = 0; k < found.fit_seconds.size(); ++k) {
    CellResult::Fold fold{.samples = found.evaluation.samples,
                          .values = result.values,
                          .fit_seconds = found.fit_seconds[k],
                          .predict_seconds = found.predict_seconds[k],
                          .tuned = k < tuned.size() ? tuned[k] : ""};
    if (k < found.evaluation.folds.size()) {
      fold.samples = found.evaluation.folds[k].samples;
      fold.values = chosen_values(found.evaluation.folds[k].values, experiment_.measures);
    }
    result.folds.push_back(std::move(fold));
  }
  if (found.predicted) result.predictions = predictions_text(*found.predicted, ctx);
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace clade
